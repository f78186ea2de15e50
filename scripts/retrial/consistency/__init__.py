"""Arithmetic checks of printed tables: what they imply, and what cannot be."""
