"""Judging: prompts, how they are fitted and asked, and the store that keeps every answer."""
