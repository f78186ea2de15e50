"""Audit: whether what a results folder says of itself is true."""
