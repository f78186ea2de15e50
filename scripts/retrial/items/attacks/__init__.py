"""Attacked titles: attack logs and the archive they lie in, and the pairs drawn from them."""
