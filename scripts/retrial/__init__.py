"""Retrial: two studies of language models as judges of text, re-run and put on the record."""

__version__ = "0.1.0"
