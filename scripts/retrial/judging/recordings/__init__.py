"""Formats of released answers, one module each."""
