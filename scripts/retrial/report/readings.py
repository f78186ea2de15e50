"""The reading ledger: how answers became ratings, counted for each judge and way of asking."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from retrial.record import ANSWERS, RATINGS, read
from retrial.report.behind import Behind


@dataclass
class Reading:
    """One judge, dataset, condition and reading: its ratings by status, and why by frequency."""

    judge: str
    dataset: str
    condition: str
    reading: str
    statuses: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """All ratings, those without a score too."""
        return self.statuses.total()

    @property
    def failures(self) -> list[tuple[str, int]]:
        """Statuses other than ok, with counts."""
        return sorted((s, n) for s, n in self.statuses.items() if s != "ok")

    @property
    def rules(self) -> list[tuple[str, str, int]]:
        """Status, reason and count, the most frequent first."""
        ordered = sorted(self.reasons.items(), key=lambda pair: (-pair[1], pair[0]))
        return [(status, reason, count) for (status, reason), count in ordered]


@dataclass(frozen=True)
class Asked:
    """What one judge was asked in one experiment: answers, tokens, engine and cuts."""

    judge: str
    dataset: str
    experiment: str
    answers: int
    prompt_tokens: int | None
    answer_tokens: int | None
    cut: int
    engine: str
    device: str


def reading_ledger(behind: Behind, files: Iterable[str]) -> list[Reading]:
    """The ledger of these ratings files, in order of first appearance."""
    found: dict[tuple[str, str, str, str], Reading] = {}
    columns = ["judge", "dataset", "condition", "reading", "status", "reason"]
    for file in files:
        table = read(behind.root / file, RATINGS, columns)
        counted = table.group_by(columns).aggregate([([], "count_all")]).to_pylist()
        for row in sorted(counted, key=lambda r: [str(r[name]) for name in columns]):
            key = (row["judge"], row["dataset"], row["condition"], row["reading"])
            entry = found.setdefault(key, Reading(*key))
            entry.statuses[row["status"]] += row["count_all"]
            if row["reason"]:
                entry.reasons[row["status"], row["reason"]] += row["count_all"]
    return list(found.values())


def asked_ledger(behind: Behind, files: Iterable[str]) -> list[Asked]:
    """What each answers file cost: answers, tokens, and prompts that were cut to fit."""
    return [_asked(behind, file) for file in files]


def _asked(behind: Behind, file: str) -> Asked:
    _, judge, dataset, name = file.split("/")
    columns = ["prompt_tokens", "answer_tokens", "turns_dropped", "engine", "device"]
    rows: dict[str, list[Any]] = read(behind.root / file, ANSWERS, columns).to_pydict()
    return Asked(
        judge=judge,
        dataset=dataset,
        experiment=name.removesuffix(".parquet"),
        answers=len(rows["engine"]),
        prompt_tokens=_total(rows["prompt_tokens"]),
        answer_tokens=_total(rows["answer_tokens"]),
        cut=sum(1 for n in rows["turns_dropped"] if n > 0),
        engine=", ".join(sorted(set(rows["engine"]))),
        device=", ".join(sorted({d for d in rows["device"] if d})),
    )


def _total(counts: list[int]) -> int | None:
    """The sum of the known counts; None when none is known (-1)."""
    known = [count for count in counts if count >= 0]
    return sum(known) if known else None
