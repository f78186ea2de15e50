"""File names of cell pages: readable, unique in any letter case, and short enough for any disk."""

from collections.abc import Iterable

from retrial.digest import sha256_text
from retrial.tables.render.cell import anchors

LONGEST = 100


def cell_names(keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The file name (without suffix) of each (row, column), which is also its id on a page."""
    listed = list(keys)
    lower = anchors((row, column.lower()) for row, column in dict.fromkeys(listed))
    wanted = {key: _safe(lower, key) for key in listed}
    taken: dict[str, tuple[str, str]] = {}
    for key, name in wanted.items():
        if taken.setdefault(name, key) != key:
            wanted[key] = f"{name[:LONGEST]}-{_digest(key)}"
    return wanted


def _safe(names: dict[tuple[str, str], str], key: tuple[str, str]) -> str:
    name = names[key[0], key[1].lower()]
    plain = name if name.isascii() else name.encode("ascii", "ignore").decode()
    changed = plain != name or len(plain) > LONGEST or plain.startswith(("-", "."))
    return f"{plain[:LONGEST].lstrip('-.')}-{_digest(key)}" if changed else plain


def _digest(key: tuple[str, str]) -> str:
    return sha256_text("\n".join(key))[:8]
