"""The Parquet contracts: what each kind of results file holds, field by field.

Each contract has a unique key and is checked on every write and every read. A field that
is not listed as nullable is never null.
"""

from dataclasses import dataclass

import pyarrow as pa

TURNS = pa.list_(pa.struct([("speaker", pa.string()), ("text", pa.string())]))
STRATA = pa.map_(pa.string(), pa.string())
COUNTS = pa.map_(pa.string(), pa.int64())
EXAMPLES = pa.list_(pa.struct([("item_id", pa.string()), ("label", pa.string()), ("turns", TURNS)]))
SELECTIONS = pa.list_(
    pa.struct(
        [
            ("role", pa.string()),
            ("file", pa.string()),
            ("filter", pa.string()),
            ("n", pa.int64()),
            ("members_sha256", pa.string()),
        ]
    )
)
TEXT, NUMBER, COUNT = pa.string(), pa.float64(), pa.int64()


@dataclass(frozen=True)
class Field:
    """One column: name, Arrow type, what it holds, and whether it may be null."""

    name: str
    type: pa.DataType
    doc: str
    nullable: bool = False


@dataclass(frozen=True)
class Contract:
    """What one kind of results file holds. `key` names the columns that identify a row."""

    name: str
    version: int
    key: tuple[str, ...]
    fields: tuple[Field, ...]

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema, with the contract's name and version as metadata."""
        columns = [pa.field(f.name, f.type, nullable=f.nullable) for f in self.fields]
        return pa.schema(columns, metadata={"contract": f"{self.name}/{self.version}"})


ITEMS = Contract(
    "items",
    1,
    ("item_id",),
    (
        Field("item_id", TEXT, "digest of the record's own content, with an ordinal among equals"),
        Field("dataset", TEXT, "id of the dataset in config.yaml"),
        Field("split", TEXT, "train, test, or all where the dataset is not split"),
        Field("kind", TEXT, "dialogue, story, title or pair"),
        Field("turns", TURNS, "a dialogue's turns in order", nullable=True),
        Field("text", TEXT, "the text of a story or title", nullable=True),
        Field("context", TEXT, "what the text answers, such as a story's prompt", nullable=True),
        Field("pair_id", TEXT, "joins the titles of one attack", nullable=True),
        Field("text_b", TEXT, "the second text of a pair", nullable=True),
        Field("strata", STRATA, "what tables group by: subset, writer, attack"),
        Field("source", TEXT, "<source>/<file> it was read from"),
        Field("source_line", COUNT, "line (text) or ordinal from 1 (JSON) of its first row"),
    ),
)

RATINGS = Contract(
    "ratings",
    1,
    ("judge", "item_id", "attribute", "condition", "replicate", "sample", "rater", "reading"),
    (
        Field("judge", TEXT, "id of the judge; human for people"),
        Field("item_id", TEXT, "the item that was rated"),
        Field("dataset", TEXT, "the dataset of the item"),
        Field("attribute", TEXT, "what was asked about the item"),
        Field("condition", TEXT, "how the judge was asked; for people empty, or form"),
        Field("replicate", COUNT, "draw of the in-context examples, from 0"),
        Field("sample", COUNT, "which answer to the same prompt, from 0"),
        Field("rater", TEXT, "for people: person or position; empty for judges"),
        Field("reading", TEXT, "how the score was taken from the answer; human for people"),
        Field("score", NUMBER, "the rating; null when there is none", nullable=True),
        Field("status", TEXT, "ok, or why there is no score"),
        Field("reason", TEXT, "one sentence behind the status", nullable=True),
        Field("scale", TEXT, "lowest and highest rating, such as 1-5"),
        Field("span_start", COUNT, "where in the answer the score was read", nullable=True),
        Field("span_end", COUNT, "end of that span", nullable=True),
        Field("rating_mass", NUMBER, "probability on rating tokens (logits)", nullable=True),
        Field("request_id", TEXT, "the answer it was taken from", nullable=True),
        Field("source", TEXT, "for people: <source>/<file>", nullable=True),
        Field("source_line", COUNT, "for people: line of the rating", nullable=True),
    ),
)

EXAMPLE_CHOICES = Contract(
    "examples",
    1,
    ("item_id", "selector", "replicate", "rank"),
    (
        Field("item_id", TEXT, "the test item that the examples are for"),
        Field("dataset", TEXT, "its dataset; examples come from the same one"),
        Field("selector", TEXT, "id of the selector in config.yaml"),
        Field("replicate", COUNT, "draw, from 0; always 0 for ranked selectors"),
        Field("rank", COUNT, "0 is the best (or first drawn)"),
        Field("example_id", TEXT, "item of the training split"),
        Field("score", NUMBER, "similarity; null for a random draw", nullable=True),
        Field("truncated", pa.bool_(), "whether the encoder cut the item or the example"),
    ),
)

EMBEDDINGS = Contract(
    "embeddings",
    1,
    ("item_id",),
    (
        Field("item_id", TEXT, "the item"),
        Field("vector", pa.list_(pa.float32()), "its embedding, of length 1"),
        Field("truncated", pa.bool_(), "whether the encoder's window cut its text"),
    ),
)

PROMPTS = Contract(
    "prompts",
    1,
    ("prompt_id",),
    (
        Field("prompt_id", TEXT, "digest of all that follows but the dataset"),
        Field("dataset", TEXT, "the dataset of the item"),
        Field("item_id", TEXT, "the item to be judged"),
        Field("attribute", TEXT, "what is asked about it"),
        Field("condition", TEXT, "how the judge is asked"),
        Field("replicate", COUNT, "draw of the examples, from 0"),
        Field("template", TEXT, "id of the template in data/prompts"),
        Field("template_sha256", TEXT, "digest of the template's content"),
        Field("turns", TURNS, "the item's turns", nullable=True),
        Field("text", TEXT, "the item's text", nullable=True),
        Field("context", TEXT, "the item's context", nullable=True),
        Field("text_b", TEXT, "the second text of a pair", nullable=True),
        Field("examples", EXAMPLES, "in-context examples, best first"),
        Field("shared_examples", pa.bool_(), "whether all items of the replicate share them"),
        Field("conversation_id", TEXT, "joins questions asked in one conversation", nullable=True),
        Field("turn", COUNT, "place in that conversation, from 0"),
    ),
)

ANSWERS = Contract(
    "answers",
    1,
    ("prompt_id", "request_id"),
    (
        Field("request_id", TEXT, "digest of prompt_text and asked"),
        Field("prompt_id", TEXT, "the prompt that was rendered"),
        Field("judge", TEXT, "id of the judge"),
        Field("sample", COUNT, "which answer to the same prompt, from 0"),
        Field("method", TEXT, "logits, generation or recording"),
        Field("prompt_text", TEXT, "the prompt as the model read it", nullable=True),
        Field("asked", TEXT, "all else that was asked, as canonical JSON"),
        Field("text", TEXT, "the answer's text; null for logits", nullable=True),
        Field(
            "rating_logprobs",
            pa.map_(pa.string(), pa.float64()),
            "log-probability by rating; null for generation",
            nullable=True,
        ),
        Field("finish_reason", TEXT, "stop, length, refusal; empty when unknown"),
        Field("prompt_tokens", COUNT, "tokens of the rendered prompt; -1 when unknown"),
        Field("answer_tokens", COUNT, "tokens of the answer; -1 when unknown"),
        Field("examples_kept", COUNT, "examples left after fitting the context"),
        Field("turns_dropped", COUNT, "turns cut to fit the context, examples' and item's"),
        Field("item_turns_dropped", COUNT, "of these, turns of the judged item"),
        Field("answer_sha256", TEXT, "digest of what came back"),
        Field("asked_at", TEXT, "UTC time, ISO 8601; empty when unknown"),
        Field("asked_by", TEXT, "id of the run that asked"),
        Field("engine", TEXT, "library and version, and how it computed"),
        Field("device", TEXT, "where it ran; empty when unknown"),
    ),
)

LINKS = Contract(
    "links",
    1,
    ("recorded_item_id",),
    (
        Field("recorded_item_id", TEXT, "item of a recording without ids"),
        Field("item_id", TEXT, "the released item it is taken for"),
        Field("score", NUMBER, "similarity of the match"),
        Field("margin", NUMBER, "lead over the next best released item"),
        Field("certainty", TEXT, "clear, tied or weak"),
    ),
)

CELLS = Contract(
    "cells",
    1,
    ("table", "row", "column"),
    (
        Field("table", TEXT, "<study>_<table>"),
        Field("row", TEXT, "row key, written as in data/published"),
        Field("column", TEXT, "column key, written as in data/published"),
        Field("row_order", COUNT, "place of the row, from 0"),
        Field("column_order", COUNT, "place of the column, from 0"),
        Field("block", TEXT, "rows of one block are compared with each other"),
        Field("kind", TEXT, "measured, derived, published or ledger"),
        Field("metric", TEXT, "id of the metric; empty for text", nullable=True),
        Field("parameters", TEXT, "the metric's parameters as canonical JSON"),
        Field("selections", SELECTIONS, "which ratings went in, by role"),
        Field("inputs", pa.list_(pa.string()), "cells that it is derived from"),
        Field("value", NUMBER, "the number; null when undefined or text", nullable=True),
        Field("value_text", TEXT, "for cells that hold text", nullable=True),
        Field("format", TEXT, "how it is printed: a Python format such as .2f or .0%"),
        Field("n", COUNT, "units that the metric used"),
        Field("excluded", COUNTS, "ratings left out, by status"),
        Field("ci_low", NUMBER, "lower end of the 95 % interval", nullable=True),
        Field("ci_high", NUMBER, "upper end", nullable=True),
        Field("reason", TEXT, "why the value or its interval is undefined", nullable=True),
        Field("published", TEXT, "the paper's value as printed", nullable=True),
        Field("published_source", TEXT, "where that was read", nullable=True),
        Field("verdict", TEXT, "reproduced, differs, not comparable; empty without print"),
        Field("verdict_reason", TEXT, "why", nullable=True),
        Field("inferred", pa.bool_(), "whether it rests on links"),
    ),
)

FIGURE_POINTS = Contract(
    "figure_points",
    1,
    ("figure", "panel", "series", "x"),
    (
        Field("figure", TEXT, "<study>_<figure>"),
        Field("panel", TEXT, "the panel that the point is drawn in"),
        Field("series", TEXT, "what shares a colour and a marker"),
        Field("x", TEXT, "place on the panel's axis: a label or a number"),
        Field("order", COUNT, "order of drawing, from 0"),
        Field("value", NUMBER, "what is drawn; null where undefined", nullable=True),
        Field("ci_low", NUMBER, "lower end of its interval", nullable=True),
        Field("ci_high", NUMBER, "upper end", nullable=True),
        Field("n", COUNT, "units behind the point"),
        Field("note", TEXT, "what the point's label or marker says", nullable=True),
        Field("cell", TEXT, "the cell that it reads, or empty"),
        Field("inferred", pa.bool_(), "whether it rests on links"),
    ),
)

CONTRACTS = {
    c.name: c
    for c in (
        ITEMS,
        RATINGS,
        EXAMPLE_CHOICES,
        EMBEDDINGS,
        PROMPTS,
        ANSWERS,
        LINKS,
        CELLS,
        FIGURE_POINTS,
    )
}
