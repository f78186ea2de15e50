"""A user's own dialogues: one set of columns in three file formats, checked line by line."""
