"""The typed configuration: one model, from which the JSON schema is generated.

Every section is a catalogue of ids (judges, datasets, conditions ...) or a list of ids that
says what a table uses. Unknown keys, wrong types and ids that nobody defines are refused
before any job starts, with the key and the nearest valid one.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveInt,
    StringConstraints,
    ValidationError,
    model_validator,
)

from retrial.config_errors import explain, report
from retrial.errors import RetrialError

ID_PATTERN = r"[a-z0-9][a-z0-9.-]*"
TABLE_PATTERN = rf"{ID_PATTERN}_{ID_PATTERN}"
Id = Annotated[str, StringConstraints(pattern=rf"^{ID_PATTERN}$")]
TableId = Annotated[str, StringConstraints(pattern=rf"^{TABLE_PATTERN}$")]
Reading = Literal["expectation", "log-literal", "robust", "chiang2023"]
LabelRule = Literal["mean", "max", "majority", "median", "first"]


class Section(BaseModel):
    """A part of the configuration: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


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
    strata: dict[str, str] = {}
    options: dict[str, bool | int | float | str] = {}
    raters: Literal["persons", "positions", "self", "none"] = "none"
    split: Split | None = None
    judged: Draw | None = Field(None, description="judge only a draw of the test items")


class PackagedModel(Section):
    """A model that a pip package ships."""

    package: str


class HubModel(Section):
    """A model on the Hugging Face hub, at a pinned revision."""

    model: str
    revision: str


class Resources(Section):
    """What a job that loads the judge asks of the machine."""

    gpus: NonNegativeInt = 0
    memory_gb: PositiveInt = 8
    minutes: PositiveInt = 60


class TransformersJudge(Section):
    """A live model, run by the transformers library."""

    backend: Literal["transformers"]
    label: str
    source: PackagedModel | HubModel
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    context_tokens: PositiveInt = 2048
    prompt_format: Literal["plain", "chat"] = "plain"
    strategy: Literal["auto", "shared-prefix", "batched", "plain"] = "auto"
    batch_tokens: PositiveInt = 16384
    examples_share: float = Field(
        0.6, gt=0, lt=1, description="share of the context that shared (random) examples may fill"
    )
    parameters_billion: float | None = None
    resources: Resources = Resources()
    note: str = ""


class RecordedFile(Section):
    """One file of recorded answers, and the condition under which they were given."""

    condition: Id
    file: str


class RecordingJudge(Section):
    """The released answers of a model that can't be asked any more."""

    backend: Literal["recording"]
    label: str
    source: Id
    family: Id = Field(description="recordings of one family share their items")
    model: str
    files: list[RecordedFile]
    released: Id | None = Field(
        None, description="dataset of the stories that the recording's order is inferred against"
    )
    note: str = ""


Judge = Annotated[TransformersJudge | RecordingJudge, Field(discriminator="backend")]


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


class Condition(Section):
    """How a judge is asked."""

    label: str = Field(description="how tables name it")
    template: str = Field(description="id of a template in the prompts folder")
    method: Literal["logits", "generation", "recording"] = "logits"
    selector: Id | None = None


class Experiment(Section):
    """Conditions that are asked together, because one table needs them all."""

    attributes: list[Id]
    conditions: list[Id]


class Scoring(Section):
    """Choices between an answer and its rating, and between ratings and a label."""

    top_k: PositiveInt = Field(5, description="K of Eq. 2: how many of the likeliest ratings count")
    low_mass: float = Field(0.05, ge=0, le=1, description="below it, an answer is marked low-mass")
    parser: Id = "robust"


class Statistics(Section):
    """Choices of the tables."""

    label_rule: LabelRule = "mean"
    human_threshold: float = 3.0
    judge_rule: Literal["le-3", "lt-3.5", "round"] = "le-3"
    resamples: PositiveInt = 2000
    level: float = Field(0.95, gt=0, lt=1)
    seed: int = 1


class Table(Section):
    """What a table shows: lists of ids."""

    judges: list[Id] = []
    datasets: list[Id] = []
    experiments: list[Id] = []
    conditions: list[Id] = []
    reading: Reading | None = None
    items: list[str] = Field([], description="keys of the items that an example table shows")
    recomputed: list[TableId] = Field(
        [], description="tables of recomputed values that a consistency table is checked against"
    )
    published_judge: Id | None = Field(None, description="the judge that the paper's values are of")


class Figure(Section):
    """What a figure draws: cells of tables, and ratings where a table has none."""

    tables: list[TableId] = []
    judges: list[Id] = []
    datasets: list[Id] = []
    reading: Reading | None = None


class Config(Section):
    """The whole configuration."""

    results: str = "results"
    store: str | None = Field(None, description="folder of the answer store; default below results")
    models: str = Field(".cache/models", description="folder of prepared models")
    raw: str = Field("data/raw", description="folder of downloads")
    sources: str = "data/sources.yaml"
    prompts: str = "data/prompts"
    published: str = "data/published"
    chunk: PositiveInt = Field(32, description="prompts asked between two checkpoints")
    threads: PositiveInt = Field(2, description="CPU threads of a judging job")
    datasets: dict[Id, Dataset] = {}
    judges: dict[Id, Judge] = {}
    encoders: dict[Id, Encoder] = {}
    selectors: dict[Id, Selector] = {}
    conditions: dict[Id, Condition] = {}
    experiments: dict[Id, Experiment] = {}
    scoring: Scoring = Scoring()
    statistics: Statistics = Statistics()
    tables: dict[TableId, Table] = {}
    figures: dict[TableId, Figure] = {}
    draw: list[TableId] = Field([], description="the figures that `snakemake` makes by default")
    make: list[TableId] = Field([], description="the tables that `snakemake` makes by default")

    @model_validator(mode="after")
    def _ids_are_defined(self) -> "Config":
        for where, ids, catalogue, kind in self._references():
            for name in ids:
                if name not in catalogue:
                    raise ValueError(explain(where, name, catalogue, kind))
        if both := sorted(self.judges.keys() & self.encoders.keys()):
            raise ValueError(f"encoders.{both[0]}: a judge has this id too; give one another id")
        return self

    def _references(self) -> Iterable[tuple[str, Iterable[str], Mapping[str, Any], str]]:
        for key, selector in self.selectors.items():
            if selector.method == "encoder" and selector.encoder is None:
                raise ValueError(f"selectors.{key}: the encoder method needs `encoder`")
            wanted = [selector.encoder] if selector.encoder else []
            yield f"selectors.{key}.encoder", wanted, self.encoders, "encoder"
        for key, condition in self.conditions.items():
            wanted = [condition.selector] if condition.selector else []
            yield f"conditions.{key}.selector", wanted, self.selectors, "selector"
        for key, judge in self.judges.items():
            if isinstance(judge, RecordingJudge):
                wanted = [f.condition for f in judge.files]
                yield f"judges.{key}.files", wanted, self.conditions, "condition"
                wanted = [judge.released] if judge.released else []
                yield f"judges.{key}.released", wanted, self.datasets, "dataset"
        for key, experiment in self.experiments.items():
            yield (
                f"experiments.{key}.conditions",
                experiment.conditions,
                self.conditions,
                "condition",
            )
        for key, table in self.tables.items():
            yield f"tables.{key}.judges", table.judges, self.judges, "judge"
            yield f"tables.{key}.datasets", table.datasets, self.datasets, "dataset"
            yield f"tables.{key}.experiments", table.experiments, self.experiments, "experiment"
            yield f"tables.{key}.conditions", table.conditions, self.conditions, "condition"
            wanted = [table.published_judge] if table.published_judge else []
            yield f"tables.{key}.published_judge", wanted, self.judges, "judge"
            if table.experiments and set(table.experiments) <= self.experiments.keys():
                asked = [c for e in table.experiments for c in self.experiments[e].conditions]
                where = f"tables.{key}.conditions (of its experiments)"
                yield where, table.conditions, dict.fromkeys(asked), "condition"
            yield f"tables.{key}.recomputed", table.recomputed, self.tables, "table"
        for key, figure in self.figures.items():
            yield f"figures.{key}.tables", figure.tables, self.tables, "table"
            yield f"figures.{key}.judges", figure.judges, self.judges, "judge"
            yield f"figures.{key}.datasets", figure.datasets, self.datasets, "dataset"
        yield "draw", self.draw, self.figures, "figure"
        yield "make", self.make, self.tables, "table"


def load_config(raw: Mapping[str, Any]) -> Config:
    """The configuration from plain data, or a RetrialError that names each faulty key."""
    try:
        return Config.model_validate(dict(raw))
    except ValidationError as error:
        raise RetrialError("config: " + "\n".join(report(error, Config))) from error
