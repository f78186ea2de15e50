"""Exports of rating forms, read as people's ratings of a dataset's items by id.

An export repeats what its form was about: dataset, items, and the questions with the digests of
their templates. It is refused where these are not the dataset's, its items', or the templates'
of today: then the ratings are of other texts or answer other words. What an export lacks stays
missing: no rating is ever made up.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrial.errors import RetrialError
from retrial.items.base import HUMAN
from retrial.items.export_file import FORM, Export, Rated, form_digest, load_export
from retrial.judging.templates import Template, load_template
from retrial.record import RATINGS, from_rows

SUFFIX, OWN = ".ratings.json", "own"
Key = tuple[str, str, str]
"""Rater, item, attribute."""


def is_export(path: Path) -> bool:
    """Whether a file is an export of a form, by its name."""
    return path.name.endswith(SUFFIX)


def asks_about(template: Template, kind: str) -> bool:
    """Whether a template asks about items of a kind."""
    return not template.kinds or kind in template.kinds


def check_name(path: Path) -> None:
    """Raises RetrialError for a file that would not be taken for an export."""
    if not is_export(path):
        raise RetrialError(f"{path}: the name of an export ends in {SUFFIX}; rename the file")


def with_exports(
    human: pa.Table,
    items: pa.Table,
    dataset: str,
    exports: Sequence[Path],
    templates: Sequence[Path],
) -> pa.Table:
    """The human ratings with those of the exports behind them, in the order of the files.

    `templates` are files of the templates that a form of the dataset may have asked. Raises
    RetrialError, with file and place, for an export of another dataset or of other words, an
    unknown item, a rating off its scale, and a second rating of an item by one rater.
    """
    kinds = dict(zip(items["item_id"].to_pylist(), items["kind"].to_pylist(), strict=True))
    reader = _Reader(dataset, kinds, templates)
    columns = (human[name].to_pylist() for name in ("rater", "item_id", "attribute", "source"))
    taken = {(r, i, a): source for r, i, a, source in zip(*columns, strict=True)}
    _refuse_equal_names(exports)
    rows = [row for path in exports for row in reader.rows(path, taken)]
    return pa.concat_tables([human, from_rows(rows, RATINGS)])


def _refuse_equal_names(paths: Sequence[Path]) -> None:
    names = [path.name for path in paths]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RetrialError(
            f"exports: two files are named {twice!r}; a rating could not be traced: rename one"
        )


class _Reader:
    """Checks exports against one dataset and the templates of its forms."""

    def __init__(self, dataset: str, kinds: dict[str, str], templates: Sequence[Path]) -> None:
        """`kinds` gives the kind of every item of the dataset."""
        self._dataset, self._kinds = dataset, kinds
        self._templates = {path.stem: load_template(path.parent, path.stem) for path in templates}

    def rows(self, path: Path, taken: dict[Key, str]) -> Iterator[dict[str, Any]]:
        """Rows of the ratings contract; each is entered in `taken` with its file."""
        export = load_export(path)
        self._check_form(path, export)
        scales = {
            question.attribute: self._template(path, question.template, question.template_sha256)
            for question in export.form.questions
        }
        for ordinal, rated in enumerate(export.ratings, start=1):
            where = f"{path}: ratings[{ordinal - 1}]"
            template = self._check(where, rated, export, scales)
            source = f"{OWN}/{path.name}"
            _claim((export.rater, rated.item_id, rated.attribute), source, where, taken)
            yield _row(self._dataset, export.rater, rated, template, source, ordinal)

    def _check_form(self, path: Path, export: Export) -> None:
        form = export.form
        if form.dataset != self._dataset:
            raise RetrialError(
                f"{path}: is an export of a form about the dataset {form.dataset!r}, not about "
                f"{self._dataset!r}; list it under datasets.{form.dataset}.exports"
            )
        if form_digest(form.model_dump()) != export.form_sha256:
            raise RetrialError(
                f"{path}: form_sha256 is not the digest of `form`: the file was changed after its "
                "export, or put together from two; take the export as it was downloaded"
            )
        if unknown := [item for item in form.items if item not in self._kinds]:
            raise RetrialError(
                f"{path}: form.items: {len(unknown)} of {len(form.items)} items are not in the "
                f"dataset {self._dataset!r}, the first is {unknown[0]}: its texts have changed "
                "since the form was written, or it is another form's"
            )

    def _template(self, path: Path, name: str, sha256: str) -> Template:
        template = self._templates.get(name)
        if template is None:
            known = ", ".join(sorted(self._templates)) or "none"
            raise RetrialError(
                f"{path}: asks by the template {name!r}, which no form of the dataset "
                f"{self._dataset!r} names; those that forms name: {known}"
            )
        if template.sha256 != sha256:
            raise RetrialError(
                f"{path}: template {name!r} has other words now than those that were rated (its "
                "digest differs); put the template back as it was, or rate again with a new form"
            )
        return template

    def _check(
        self, where: str, rated: Rated, export: Export, scales: Mapping[str, Template]
    ) -> Template:
        if rated.item_id not in export.form.items:
            raise RetrialError(f"{where}: item {rated.item_id} is not in the form")
        template = scales.get(rated.attribute)
        if template is None or not asks_about(template, self._kinds[rated.item_id]):
            what = f"{rated.attribute} of item {rated.item_id}"
            raise RetrialError(f"{where}: the form does not ask about {what}")
        if rated.rating not in [float(rating) for rating in template.ratings]:
            scale = template.form["scale"]
            raise RetrialError(f"{where}: {rated.rating:g} is off the scale {scale}")
        return template


def _claim(key: Key, source: str, where: str, taken: dict[Key, str]) -> None:
    rater, item_id, attribute = key
    if key in taken:
        raise RetrialError(
            f"{where}: {rater!r} has rated {attribute} of item {item_id} already, in "
            f"{taken[key]}; list one export of a form for each rater, and give each person a name"
        )
    taken[key] = source


def _row(
    dataset: str, rater: str, rated: Rated, template: Template, source: str, ordinal: int
) -> dict[str, Any]:
    return {
        "judge": HUMAN,
        "item_id": rated.item_id,
        "dataset": dataset,
        "attribute": rated.attribute,
        "condition": FORM,
        "replicate": 0,
        "sample": 0,
        "rater": rater,
        "reading": HUMAN,
        "score": rated.rating,
        "status": "ok",
        "scale": template.form["scale"],
        "source": source,
        "source_line": ordinal,
    }
