"""Measurements of Retrial beside its peers: equal outputs first, then cost. `make bench`."""
