"""Scoring: from answers to ratings, with a reason wherever there is none."""
