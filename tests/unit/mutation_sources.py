"""Damage of what lies outside the results: sources, published values; and of renderings."""

import csv
import io
import json
import re
from pathlib import Path
from random import Random

from mutation_bench import Bench, Record, Uses, name_of
from mutations import Damage, changed


def source_line(bench: Bench, uses: Uses, random: Random) -> Damage | None:
    """A rating, a text or an answer in a downloaded file."""
    files = sorted(p for p in (bench.root / "data" / "raw").rglob("*.json*") if p.is_file())
    files = [p for p in files if len(bench.made_from(p.name)) > 1]
    path = random.choice(files) if files else None
    if path is None:
        return None
    act = _story if "human_eval" in path.name else _dialogue if path.suffix == ".jsonl" else _answer
    return act(bench, uses, path, random)


def _story(bench: Bench, uses: Uses, path: Path, random: Random) -> Damage:
    """One teacher's rating, or a character of a story, in the file of stories."""
    data = json.loads(path.read_text("utf-8"))
    key = random.choice(sorted(data))
    item = next(i for f in bench.tables_of("items") for i in uses.rows(f)
                if dict(i["strata"]).get("key") == key)  # fmt: skip
    if random.random() < 0.5:
        ratings = data[key]["enjoy"]
        ratings[1] = ratings[1] % 5 + 1
        wanted = {"item_id": item["item_id"], "attribute": "likability", "rater": "teacher-2"}
        files = [f for f in uses.ratings_files() if f.startswith("ratings/human/")]
        hit = set().union(*(uses.rating_rows(f, wanted) for f in files))
    else:
        data[key]["story"] = changed(data[key]["story"], random)
        hit = uses.of_item(item["item_id"])
    bench.write(path, json.dumps(data).encode())
    return Damage("source: a story", path.name, (item["item_id"],),
                  frozenset(hit - uses.partial), frozenset(uses.partial))  # fmt: skip


def _dialogue(bench: Bench, uses: Uses, path: Path, random: Random) -> Damage:
    """A character of a turn in a file of dialogues."""
    lines = path.read_text("utf-8").splitlines()
    number = random.randrange(len(lines))
    data = json.loads(lines[number])
    item = next(i for f in bench.tables_of("items") for i in uses.rows(f)
                if i["source_line"] == number + 1 and i["turns"])  # fmt: skip
    data["turns"][0]["text"] = changed(data["turns"][0]["text"], random)
    lines[number] = json.dumps(data)
    bench.write(path, ("\n".join(lines) + "\n").encode())
    hit = frozenset(uses.of_item(item["item_id"]))
    touched = frozenset(uses.shown_as_example(item["item_id"])) - hit
    return Damage("source: a dialogue", path.name, (item["item_id"],), hit, touched)


def _answer(bench: Bench, uses: Uses, path: Path, random: Random) -> Damage | None:
    """One character of a released answer."""
    data = json.loads(path.read_text("utf-8"))
    writer = random.choice(["targets", "predictions"])
    place = (random.randrange(4), random.randrange(200), random.randrange(3))
    texts = data[writer][place[0]][place[1]]
    old, texts[place[2]] = texts[place[2]], changed(texts[place[2]], random)
    bench.write(path, json.dumps(data).encode())
    requests = {a["request_id"] for a in _answers_at(bench, uses, path, writer, place)
                if a["text"] == old}  # fmt: skip
    used = uses.of_requests(requests)
    return Damage("source: an answer", path.name, tuple(requests),
                  frozenset(used - uses.quoting_one), frozenset(uses.quoting_one))  # fmt: skip


def _answers_at(
    bench: Bench, uses: Uses, path: Path, writer: str, place: tuple[int, int, int]
) -> list[Record]:
    """The recorded answers that stand at a place of a file."""
    names = {"targets": "human-written", "predictions": "gpt2"}
    order = ("grammaticality", "cohesiveness", "likability", "relevance")
    for file in bench.tables_of("answers"):
        listed = bench.sidecar(file)["parameters"].get("spec", {}).get("files", [])
        condition = next((f["condition"] for f in listed if f["file"] == path.name), None)
        if condition is None:
            continue
        family = bench.sidecar(file)["parameters"]["spec"]["family"]
        strata = {"position": str(place[1]), "writer": names[writer]}
        items = {i["item_id"] for i in uses.rows(f"items/{family}.parquet")
                 if dict(i["strata"]) == strata}  # fmt: skip
        asked = {p["prompt_id"] for p in uses.rows(f"prompts/{family}/recorded.parquet")
                 if p["item_id"] in items and p["attribute"] == order[place[0]]
                 and p["condition"] == condition}  # fmt: skip
        return [a for a in uses.rows(file) if a["prompt_id"] in asked and a["sample"] == place[2]]
    return []


def published_value(bench: Bench, uses: Uses, random: Random) -> Damage | None:
    """One printed value of a paper, in a cell that is compared with it."""
    shown = [c for c in uses.cells if c["published"] is not None]
    if not shown:
        return None
    cell = random.choice(sorted(shown, key=name_of))
    place = f"tables/{cell['table']}.parquet"
    files = [k["path"] for k in bench.sidecar(place)["inputs"] if k["path"].endswith(".csv")]
    path = bench.root / files[0]
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))
    study, _, _ = cell["table"].partition("_")
    same = [r for r in rows if (r["study"], r["row"], r["column"]) == (study, cell["row"],
            cell["column"]) and r["printed"].strip() == cell["published"]]  # fmt: skip
    if not same:
        return None
    same[0]["printed"] = _other_digit(same[0]["printed"], random)
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    bench.write(path, out.getvalue().encode())
    file = same[0]["study"]
    findings = {name_of(c) for c in uses.cells if path.name in c["parameters"]}
    name = name_of(cell)
    # A gap or a shift may read the same line of print, and the digits of a block go together.
    block = {name_of(c) for c in uses.cells if c["published"] is not None
             and c["table"].startswith(file) and c["column"] == cell["column"]}  # fmt: skip
    return Damage("a published value", path.name, (name,), frozenset({name} | findings),
                  frozenset(block))  # fmt: skip


def rendered_digit(bench: Bench, uses: Uses, random: Random) -> Damage | None:
    """One digit of a rendering, forged: the line of one cell in the CSV, or its HTML field."""
    places = [p for p in bench.places if p.endswith((".csv", ".html"))]
    if not places:
        return None
    place = random.choice(places)
    table = Path(place).stem
    cells = [c for c in uses.rows(f"tables/{table}.parquet") if c["value"] is not None]
    if not cells:
        return None
    text = (bench.root / place).read_text("utf-8")
    if place.endswith(".html"):
        spot = random.choice(list(re.finditer(r'class="v">([^<]*\d[^<]*)<', text)))
        start, end = spot.span(1)
        text = text[:start] + _other_digit(spot[1], random) + text[end:]
        hit: set[str] = set()
    else:
        cell = random.choice(cells)
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        row = next(r for r in rows if (r["row"], r["column"]) == (cell["row"], cell["column"]))
        row["printed"] = _other_digit(row["printed"], random)
        out = io.StringIO(newline="")
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        text, hit = out.getvalue(), {name_of(cell)}
    bench.write(bench.root / place, text.encode())
    bench.forge(place)
    touched = frozenset() if hit else frozenset(uses.of_table(table))
    return Damage("forged: a rendering's digit", place, (place,), frozenset(hit), touched)


def _other_digit(text: str, random: Random) -> str:
    places = [i for i, character in enumerate(text) if character.isdigit()]
    place = random.choice(places)
    return f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}"
