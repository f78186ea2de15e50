"""Handing a results folder on: an RO-Crate that describes it, a bundle that carries it."""
