"""Sections of the items: datasets, and how in-context examples are chosen from them."""

from typing import Literal

from pydantic import Field, PositiveInt

from retrial.config.judges import HubModel, PackagedModel, Resources
from retrial.config.section import Id, Section


class Draw(Section):
    """A seeded draw of some items."""

    items: PositiveInt
    seed: int = 1


class Split(Section):
    """A seeded random split into training and test items."""

    test: float = Field(0.1, gt=0, lt=1, description="share of test items")
    seed: int = 1


class Dataset(Section):
    """Items to be judged and the people's ratings of them."""

    reader: Id
    label: str = Field(description="how tables name it")
    source: Id | None = Field(None, description="id in data/sources.yaml")
    files: list[str] = []
    paths: list[str] = Field([], description="your own files, in place of a source's")
    generator: Id | None = Field(None, description="a generator's stories, and people's")
    exports: list[str] = Field([], description="exports of rating forms (*.ratings.json)")
    strata: dict[str, str] = {}
    options: dict[str, bool | int | float | str] = {}
    raters: Literal["persons", "positions", "self", "none"] = "none"
    split: Split | None = None
    judged: Draw | None = Field(None, description="judge only a draw of the test items")


class Encoder(Section):
    """A sentence encoder for similar examples."""

    source: PackagedModel | HubModel
    resources: Resources = Resources()


class Selector(Section):
    """How in-context examples are chosen from the training split."""

    method: Literal["random-draw", "bm25", "encoder"]
    count: PositiveInt
    replicates: PositiveInt = 1
    variant: Literal["smoothed", "okapi"] = "smoothed"
    encoder: Id | None = None
    seed: int = 1
