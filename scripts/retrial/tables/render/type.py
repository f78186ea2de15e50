"""Type for drawn tables: faces, the width of a text, and wrapping. Lengths are in inches."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import matplotlib
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

POINTS = 72.0
LEADING = 1.32
"""Distance between lines, in sizes of the face."""


@dataclass(frozen=True)
class Face:
    """A size in points, a cut of the bundled DejaVu Sans, and a colour."""

    size: float
    colour: str
    bold: bool = False
    italic: bool = False

    @property
    def properties(self) -> FontProperties:
        """The font file that ships with matplotlib, so that every machine draws the same."""
        return _properties(self.size, self.bold, self.italic)

    @property
    def line(self) -> float:
        """Height of one line."""
        return self.size * LEADING / POINTS


def typeset(text: str) -> str:
    """The text with true minus signs where it is nothing but numbers."""
    is_number = any(c.isdigit() for c in text) and not any(c.isalpha() for c in text)
    return text.replace("-", "\N{MINUS SIGN}") if is_number else text


def width(text: str, face: Face) -> float:
    """Width of one line of text as it is drawn."""
    return _width(typeset(text), face.size, face.bold, face.italic)


def wrap(text: str, face: Face, limit: float) -> list[str]:
    """The text in lines no wider than `limit`; line breaks stay, longer words are cut."""
    return [line for part in text.splitlines() or [""] for line in _fill(part, face, limit)]


def _fill(text: str, face: Face, limit: float) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if width(longer, face) <= limit:
            line = longer
            continue
        if line:
            lines.append(line)
        *whole, line = _cut(word, face, limit)
        lines += whole
    return [*lines, line]


def _cut(word: str, face: Face, limit: float) -> list[str]:
    pieces = [""]
    for letter in word:
        if pieces[-1] and width(pieces[-1] + letter, face) > limit:
            pieces.append("")
        pieces[-1] += letter
    return pieces


@lru_cache(maxsize=64)
def _properties(size: float, bold: bool, italic: bool) -> FontProperties:
    cut = ("Bold" if bold else "") + ("Oblique" if italic else "")
    name = f"DejaVuSans-{cut}.ttf" if cut else "DejaVuSans.ttf"
    return FontProperties(
        fname=str(Path(matplotlib.get_data_path(), "fonts", "ttf", name)), size=size
    )


@lru_cache(maxsize=65536)
def _width(text: str, size: float, bold: bool, italic: bool) -> float:
    if not text:
        return 0.0
    points, _, _ = text_to_path.get_text_width_height_descent(
        text, _properties(size, bold, italic), ismath=False
    )
    return float(points) / POINTS
