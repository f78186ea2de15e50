"""What may be said of a job outside the machine that it ran on: no secret, no path of its own."""

import re
from pathlib import PurePosixPath
from typing import Any

HIDDEN = "(withheld)"
_SECRET_NAME = re.compile(
    r"(?:^|[_-])(?:token|secret|password|passwd|api[_-]?key|credentials?|authorization)$", re.I
)
_SECRET_VALUE = re.compile(
    r"\bhf_[A-Za-z0-9]{20,}|\bsk-[A-Za-z0-9_-]{20,}|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bAKIA[A-Z0-9]{16}\b|\bBearer\s+[A-Za-z0-9._~+/-]{16,}"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_PATH = re.compile(
    r"(?<![\w.:/~-])(?:file://)?(?:~|/|[A-Za-z]:[\\/])(?:[^\s\"'<>|,;]*[\\/])[^\s\"'<>|,;]*"
)


def secret_in(text: str) -> str | None:
    """The first characters of something that looks like a key or a password, or None."""
    found = _SECRET_VALUE.search(text)
    return f"{found.group()[:4]}..." if found else None


def portable(value: Any) -> Any:
    """Plain data without secrets; absolute paths are cut down to their last part."""
    if isinstance(value, dict):
        return {
            str(name): HIDDEN if _SECRET_NAME.search(str(name)) and part else portable(part)
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [portable(part) for part in value]
    return portable_text(value) if isinstance(value, str) else value


def portable_text(text: str) -> str:
    """One text without secrets and absolute paths."""
    return _PATH.sub(_last_part, _SECRET_VALUE.sub(HIDDEN, text))


def _last_part(found: re.Match[str]) -> str:
    name = PurePosixPath(found.group().replace("\\", "/")).name
    return f"(outside)/{name}"
