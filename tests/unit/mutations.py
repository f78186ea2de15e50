"""Seeded random damage of a results folder, of many kinds; each says what must be named.

`forged` kinds also make every digest agree (sidecars, later sidecars' inputs, the manifest), so
that only making the record again can tell.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
from mutation_bench import Bench, Record, Uses, name_of

from retrial.record import SUFFIX


@dataclass(frozen=True)
class Damage:
    """What was done: the damaged file, what a broken link has to name, and who uses it.

    `names`: one of them must stand in a broken link of verify. `hit`: cells whose audit must fail
    naming the file or one of `names`; empty where no cell rests on what was damaged. `spared`:
    whether other cells have to stay clean.
    """

    kind: str
    place: str
    names: tuple[str, ...]
    hit: frozenset[str] = field(default_factory=frozenset)
    touched: frozenset[str] = field(default_factory=frozenset)
    """Cells that may or may not fail: those of the same damaged file, say."""


TRIES = 8
"""Random rows that are looked at until one is used by a cell."""

Mutate = Callable[[Bench, Uses, Random], Damage | None]
STAGES = {"judge ratings": "ratings", "human ratings": "ratings/human", "items": "items",
          "prompts": "prompts", "answers": "answers", "examples": "examples",
          "links": "links", "cells": "tables"}  # fmt: skip


def files_of(bench: Bench, stage: str) -> list[str]:
    """The Parquet files of a stage."""
    found = bench.tables_of(STAGES[stage])
    if stage == "judge ratings":
        found = [p for p in found if not p.startswith("ratings/human/")]
    return found


def record_of(uses: Uses, stage: str, place: str, row: Record) -> tuple[tuple[str, ...], set[str]]:
    """What names a record of a stage, and the cells that use it."""
    if stage == "judge ratings":
        wanted = {n: row[n] for n in ("request_id", "reading", "item_id", "attribute",
                                      "condition", "replicate")}  # fmt: skip
        return (row["item_id"],), uses.rating_rows(place, wanted)
    if stage == "human ratings":
        wanted = {name: row[name] for name in ("item_id", "attribute", "rater")}
        return (row["item_id"],), uses.rating_rows(place, wanted)
    if stage == "items":
        return (row["item_id"],), uses.of_item(row["item_id"])
    if stage == "prompts":
        return (row["prompt_id"],), uses.of_prompt(row["prompt_id"])
    if stage == "answers":
        return (row["request_id"], row["prompt_id"]), _read_from(uses, place, row)
    if stage == "examples":
        return (row["item_id"],), _shown_with(uses, row)
    if stage == "links":
        joined = {name_of(c) for c in uses.cells if c["inferred"]}
        return (row["recorded_item_id"], row["item_id"]), joined
    name = name_of(row)
    return (name, row["row"]), {name} | _resting_on(uses, name)


def _read_from(uses: Uses, place: str, answer: Record) -> set[str]:
    """The cells that use ratings of one answer to one prompt; others may share its request."""
    prompts = (p for f in uses.bench.tables_of("prompts") for p in uses.rows(f))
    prompt = next(p for p in prompts if p["prompt_id"] == answer["prompt_id"])
    wanted = {n: prompt[n] for n in ("item_id", "attribute", "condition", "replicate")}
    wanted |= {"request_id": answer["request_id"], "judge": answer["judge"]}
    found = (uses.rating_rows(f, wanted) for f in uses.ratings_files())
    return set().union(*found)


def _shown_with(uses: Uses, choice: Record) -> set[str]:
    """The cells whose prompts were built with a choice of examples."""
    prompts = (p for f in uses.bench.tables_of("prompts") for p in uses.rows(f))
    found: set[str] = set()
    for prompt in prompts:
        same = all(prompt[name] == choice[name] for name in ("item_id", "replicate"))
        if same and prompt["condition"] == choice["selector"]:
            found |= uses.of_prompt(prompt["prompt_id"])
    return found


def _resting_on(uses: Uses, name: str) -> set[str]:
    return {name_of(cell) for cell in uses.cells if name in cell["inputs"]}


# Changed values: the field of each stage that is changed, and how.


def _other_score(row: Record, random: Random) -> bool:
    row["score"] = random.choice([s for s in (1.0, 2.0, 3.0, 4.0, 5.0, 6.5) if s != row["score"]])
    return True


def _other_text(row: Record, random: Random) -> bool:
    """One character of a text, of a turn, or one log-probability."""
    if row.get("rating_logprobs"):
        place = random.randrange(len(row["rating_logprobs"]))
        rating, value = row["rating_logprobs"][place]
        row["rating_logprobs"][place] = (rating, value - 0.5)
        return True
    texts = [name for name in ("text", "context", "prompt_text") if row.get(name)]
    if row.get("turns"):
        turn = random.choice(row["turns"])
        turn["text"] = changed(turn["text"], random)
    elif texts:
        name = random.choice(texts)
        row[name] = changed(row[name], random)
    else:
        return False
    return True


def _other_prompt(row: Record, random: Random) -> bool:
    """A prompt's text, the label of one of its examples, or what it asks about."""
    if row["examples"] and random.random() < 0.5:
        example = random.choice(row["examples"])
        example["label"] = "1" if example["label"] != "1" else "5"
        return True
    if not _other_text(row, random):
        row["attribute"] = f"{row['attribute']}x"
    return True


def _other_choice(row: Record, random: Random) -> bool:
    row["example_id"] = f"{row['example_id'][:-1]}{'0' if row['example_id'][-1] != '0' else '1'}"
    return True


def _other_link(row: Record, random: Random) -> bool:
    row["score"] += 0.01
    return True


def _other_cell(row: Record, random: Random) -> bool:
    if row["value"] is None:
        row["value_text"] = changed(row["value_text"] or "none", random)
        row["reason"] = None
    else:
        row["value"] += 0.25
    return True


CHANGES: dict[str, Callable[[Record, Random], bool]] = {
    "judge ratings": _other_score,
    "human ratings": _other_score,
    "items": _other_text,
    "prompts": _other_prompt,
    "answers": _other_text,
    "examples": _other_choice,
    "links": _other_link,
    "cells": _other_cell,
}


def changed(text: str, random: Random) -> str:
    """A text with one character replaced by another."""
    place = random.randrange(len(text)) if text else 0
    return f"{text[:place]}{'#' if text[place : place + 1] != '#' else '%'}{text[place + 1 :]}"


def on_rows(kind: str, stage: str, act: str, forged: bool) -> Mutate:
    """Drop, duplicate or change one random row of a stage."""

    def mutate(bench: Bench, uses: Uses, random: Random) -> Damage | None:
        places = files_of(bench, stage)
        if not places:
            return None
        place = random.choice(places)
        rows = bench.rows(place)
        for _ in range(TRIES):
            number = random.randrange(len(rows))
            names, used = record_of(uses, stage, place, rows[number])
            if used:
                break
        rows_item = rows[number]["item_id"] if stage in ("human ratings", "items") else ""
        if act == "drop":
            del rows[number]
        elif act == "duplicate":
            rows.insert(number, rows[number])
        elif not CHANGES[stage](rows[number], random):
            return None
        examples = uses.shown_as_example(rows_item) if rows_item else set()
        bench.write_rows(place, rows)
        if forged:
            bench.forge(place)
        hit = used - uses.partial if "ratings" in stage else used - uses.partial - uses.quoting_one
        touched = (uses.within[place] | uses.quoting_one | uses.partial | examples) - hit
        return Damage(kind, place, names, frozenset(hit), frozenset(touched))

    return mutate


def flip_byte(bench: Bench, uses: Uses, random: Random) -> Damage:
    """One bit of one byte, in an output or a sidecar."""
    place = random.choice(bench.places)
    path = bench.root / (place + random.choice(["", "", SUFFIX]))
    before = path.read_bytes()
    data = bytearray(before)
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    bench.write(path, bytes(data))
    unreadable = path.name.endswith(".parquet") and not _reads_the_same(path, before)
    hit = frozenset(uses.by_file[place]) if unreadable else frozenset()
    return Damage("flip a byte", place, (place,), hit, behind(bench, uses, place))


def _reads_the_same(path: Path, before: bytes) -> bool:
    """Whether the flipped byte holds no value, as in the name of the writing library."""
    try:
        table = pq.ParquetFile(path, page_checksum_verification=True).read()
    except Exception:
        return False
    return bool(table.equals(pq.read_table(io.BytesIO(before))))


def behind(bench: Bench, uses: Uses, place: str) -> frozenset[str]:
    """The cells of all tables that a file has to do with."""
    tables = {Path(p).stem for p in bench.made_from(place) if p.startswith("tables/")}
    return frozenset().union(*(uses.of_table(table) for table in tables))


def chain_of(bench: Bench, uses: Uses, place: str) -> frozenset[str]:
    """The cells whose chain the sidecar of a file is a link of."""
    if place.startswith("tables/"):
        return frozenset(uses.of_table(Path(place).stem)) if place.endswith(".parquet") else \
            frozenset()  # fmt: skip
    if place.startswith("ratings/"):
        return frozenset(uses.by_file[place])
    if place.startswith("answers/"):
        return frozenset(uses.by_file[place.replace("answers/", "ratings/", 1)])
    return frozenset()


def on_sidecar(kind: str, act: Callable[[Record, Random], bool] | None) -> Mutate:
    """Remove a sidecar, or change something that it says."""

    def mutate(bench: Bench, uses: Uses, random: Random) -> Damage | None:
        for _ in range(TRIES):
            place = random.choice(bench.places)
            hit = chain_of(bench, uses, place)
            if hit:
                break
        content, touched = bench.sidecar(place), behind(bench, uses, place)
        if act is None:
            bench.write(bench.root / f"{place}{SUFFIX}", None)
        elif act(content, random):
            bench.write_sidecar(place, content)
        else:
            return None
        return Damage(kind, place, (place,), hit, touched)

    return mutate


def other_parameter(content: Record, random: Random) -> bool:
    """One leaf of the parameters."""
    leaves = list(_leaves(content["parameters"]))
    if not leaves:
        return False
    holder, key = random.choice(leaves)
    value = holder[key]
    holder[key] = value + 1 if type(value) in (int, float) else f"{value}x"
    return True


def _leaves(value: Any) -> Any:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in pairs:
        if isinstance(part, dict | list):
            yield from _leaves(part)
        else:
            yield value, key


def other_digest(content: Record, random: Random) -> bool:
    known = random.choice([content["output"], *content["inputs"]])
    known["sha256"] = f"{int(known['sha256'][0], 16) ^ 1:x}{known['sha256'][1:]}"
    return True


def forged_seed(bench: Bench, uses: Uses, random: Random) -> Damage | None:
    """Another seed in the parameters of a table, with a manifest that agrees."""
    tables = [p for p in bench.tables_of("tables") if bench.sidecar(p)["parameters"].get(
        "statistics") and any(c["ci_low"] is not None for c in uses.rows(p))]  # fmt: skip
    if not tables:
        return None
    place = random.choice(tables)
    content = bench.sidecar(place)
    content["parameters"]["statistics"]["seed"] += 1
    bench.write_sidecar(place, content)
    bench.forge_manifest()
    return Damage("forged: a table's seed", place, (place,),
                  touched=frozenset(uses.of_table(Path(place).stem)))  # fmt: skip
