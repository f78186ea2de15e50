"""The one error type that users are meant to read."""


class RetrialError(Exception):
    """Something the user can mend: the message says what was wrong, where, and what to do."""
