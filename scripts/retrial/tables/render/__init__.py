"""A table of cells as something to read: CSV for programs, HTML and PNG for people."""
