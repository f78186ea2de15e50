"""How a faulty id or key is reported: where it stands and the nearest valid one."""

from collections.abc import Iterable
from difflib import get_close_matches


def explain(where: str, name: str, valid: Iterable[str], kind: str) -> str:
    """One line: the place, the unknown name, and the nearest valid one (or all of them)."""
    names = sorted(valid)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
    return f"{where}: no {kind} named {name!r}; {hint}"
