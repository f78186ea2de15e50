"""How the robust parser looks at the text around a number: bounded windows, tables of words.

Patterns named ``_BEFORE`` are searched in the window that ends at a number and must reach its end,
``_AFTER`` patterns are matched at the start of the window behind it, ``_GAP`` patterns match the
whole of what lies between two numbers. As every window is bounded, a text is read in time linear
in its length.
"""

import re
from typing import Final

BACK: Final = 200  # characters looked at before a number
AHEAD: Final = 80  # and behind it
GAP: Final = 70  # at most between two numbers that belong together


def folded(pattern: str) -> re.Pattern[str]:
    """The pattern, case ignored."""
    return re.compile(pattern, re.I)


def any_of(*alternatives: str) -> str:
    """A group that matches any of the expressions; words of one string are parted by spaces.

    A blank inside an expression is written ``_``, and matches any white space.
    """
    words = [word.replace("_", r"\s+") for line in alternatives for word in line.split()]
    return f"(?:{'|'.join(words)})"


def before(text: str, place: int, floor: int = 0) -> str:
    """The window of text that ends at the place and starts no earlier than floor."""
    return text[max(floor, place - BACK) : place]


def after(text: str, place: int) -> str:
    """The window of text that starts at the place."""
    return text[place : place + AHEAD]
