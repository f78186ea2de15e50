"""chiang2023 Tables 7 to 10: example stories with all of their ratings."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.tables.chiang2023 import ATTRIBUTES, RELEASED, StoryJob, StorySet
from retrial.tables.declare import CellSpec, Declaration, ItemText, Listing, Selection
from retrial.tables.description import ColumnGroup, Description

NOTES = (
    "The paper's own example stories are not at hand; these are the ones that the config names.",
    "Ratings are written in the order of rater or sample. Those of a recording rest on the "
    "inferred story order.",
)


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job; the config's `items` are keys of the released file."""
    stories = StoryJob(job)
    sets = [(stories.teachers(), "")]
    sets += [(judge, "plain") for judge in stories.judges() if judge.links or not judge.recording]
    groups = [ColumnGroup("Story", (("prompt", "prompt"), ("story", "story")))]
    groups += [
        ColumnGroup(s.name, tuple((f"{s.name}_{a}", a) for a in ATTRIBUTES)) for s, _ in sets
    ]
    cells = [cell for key in stories.spec["items"] for cell in _row(key, sets)]
    description = Description(
        title="chiang2023 Tables 7 to 10: example stories with all their ratings",
        groups=tuple(groups),
        notes=NOTES,
        row_header="story key",
    )
    return Declaration(job["table"], tuple(cells), description)


def _row(key: str, sets: list[tuple[StorySet, str]]) -> Iterator[CellSpec]:
    row, strata = f"story {key}", (("key", key),)
    items = f"items/{RELEASED}.parquet"
    for column, field in (("prompt", "context"), ("story", "text")):
        yield CellSpec(row, column, "", "text", ItemText(items, strata, field), "s")
    for rated, condition in sets:
        for attribute in ATTRIBUTES:
            where = (("attribute", attribute),)
            released = Selection("human", f"ratings/human/{RELEASED}.parquet", where, items,
                                 None, strata)  # fmt: skip
            listing = Listing(rated.select(attribute, condition, None), released, rated.links)
            yield CellSpec(
                row, f"{rated.name}_{attribute}", "", "ratings", listing, "s",
                inferred=rated.links is not None,
            )  # fmt: skip
