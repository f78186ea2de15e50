"""The stories that a configured generator wrote, beside people's stories on the same prompts."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from retrial.errors import RetrialError
from retrial.stories.as_items import WrittenStory, stories_as_items

RATERS = "none"
"""No person has rated these stories."""


def read(
    paths: Sequence[Path],
    *,
    source: str,
    strata: Mapping[str, str],
    options: Mapping[str, str | int | float | bool],
) -> list[WrittenStory]:
    """The stories of a stories table, in its order (see `stories_as_items`). There are no options.

    `source` is not used: an item's source is where its prompt was read. Raises RetrialError.
    """
    if options:
        unknown = ", ".join(sorted(options))
        raise RetrialError(f"generated-stories: unknown option {unknown}; it takes none")
    return list(stories_as_items(paths, strata))
