"""In-context examples: chosen from the training split, at random or by similarity."""
