"""The command `retrial ingest-ratings`: check exports of rating forms, and how to name them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.compute as pc

from retrial.items.export_file import FORM, Export, load_export
from retrial.items.exports import check_name, with_exports
from retrial.record import ITEMS, RATINGS, read


def ingest_lines(exports: Sequence[Path], dataset: str, root: Path, prompts: Path) -> Iterator[str]:
    """What to say of exports that can be ingested: a line each, then the lines for the config.

    They are checked against the items and human ratings of a results folder and the templates
    as they are now. Ratings of earlier exports don't count: list all exports that the
    configuration is to name. Raises RetrialError for the first export that can't be ingested.
    """
    items = read(root / "items" / f"{dataset}.parquet", ITEMS)
    human = read(root / "ratings" / "human" / f"{dataset}.parquet", RATINGS)
    released = human.filter(pc.not_equal(human["condition"], FORM))
    for path in exports:
        check_name(path)
    read_in = [load_export(path) for path in exports]
    names = {question.template for export in read_in for question in export.form.questions}
    templates = [path for name in sorted(names) if (path := prompts / f"{name}.yaml").is_file()]
    with_exports(released, items, dataset, exports, templates)
    for path, export in zip(exports, read_in, strict=True):
        yield _about(path, export)
    paths = ", ".join(path.as_posix() for path in exports)
    yield "In the configuration, so that the workflow reads them:"
    yield f"datasets:\n  {dataset}: {{raters: persons, exports: [{paths}]}}"


def _about(path: Path, export: Export) -> str:
    form, given = export.form, len(export.ratings)
    missing = form.asked - given
    return (
        f"{path}: {given:,} ratings by {export.rater}, {missing:,} missing "
        f"(form {form.form} {form.number}, {len(form.items)} items)"
    )
