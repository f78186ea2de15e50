"""jia2024 sections 5.1 to 5.5: every claim of an order or a gain, on print and on our ratings."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.consistency import jia2024_context, jia2024_size, jia2024_tuning
from retrial.consistency.claims import Claim
from retrial.tables.arms import Decided, Evidence, Held
from retrial.tables.claims import NOT_RUN, PRINTED
from retrial.tables.declare import CellSpec, Declaration, Holm, NotAtHand, Stated
from retrial.tables.description import ColumnGroup, Description
from retrial.tables.jia2024_columns import is_classified
from retrial.tables.jia2024_compared import Compared, Nothing
from retrial.tables.jia2024_lists import Lists, NotListedError
from retrial.tables.jia2024_tested import LITTLE, TESTED, Tested

CLAIMS = (*jia2024_size.CLAIMS, *jia2024_context.CLAIMS, *jia2024_tuning.CLAIMS)
SECTIONS = {
    "5.1": "5.1 Model size",
    "5.2": "5.2 Instruction tuning",
    "5.3": "5.3 In-context examples",
    "5.4": "5.4 Supervised tuning",
    "5.5": "5.5 Order of reasons and rating",
}
SMALLEST = 0.02
"""A corrected p value can be as small as this: the family sets the number of resamples."""
NUMBERS = (("difference", "+.2f"), ("p", ".2g"), ("p_holm", ".2g"), ("items_compared", "d"))


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job: a row for each claim."""
    lists = Lists(job)
    found = [(claim, TESTED[claim.id], _compared(lists, TESTED[claim.id])) for claim in CLAIMS]
    tests = sum(isinstance(compared, Compared) for _, _, compared in found)
    family = tuple((c.id, "p") for c, _, compared in found if isinstance(compared, Compared))
    resamples = max(int(job["statistics"]["resamples"]), round(2 * tests / SMALLEST))
    cells = tuple(
        cell
        for claim, tested, compared in found
        for cell in (
            *_print(claim),
            *(
                _ours(lists, claim, tested, compared, family, resamples)
                if isinstance(compared, Compared)
                else _missing(claim, tested, compared)
            ),
        )
    )
    return Declaration(job["table"], cells, _description(lists, resamples))


def _description(lists: Lists, resamples: int) -> Description:
    return Description(
        title=f"jia2024: claims of sections 5.1 to 5.5, on print and on {lists.datasets_named()}",
        groups=(
            ColumnGroup("", (("claim", "claim"),)),
            ColumnGroup("The paper's own tables", (("printed", "print"), ("on_print", "verdict"))),
            ColumnGroup(
                "Our ratings",
                (
                    ("compared", "compared"),
                    ("difference", "difference"),
                    ("p", "p"),
                    ("p_holm", "p Holm"),
                    ("held", "higher"),
                    ("verdict", "verdict"),
                ),
            ),
        ),
        notes=tuple(_notes(lists, resamples)),
        ledger_columns=(("items_compared", "n"),),
        row_header="id",
    )


def _compared(lists: Lists, tested: Tested) -> Compared | str:
    """The comparison, or the reason why the lists give none."""
    try:
        return tested.comparison.compared(lists)
    except NotListedError as error:
        return str(error)


def _print(claim: Claim) -> Iterator[CellSpec]:
    block = SECTIONS[claim.section]
    yield CellSpec(claim.id, "claim", block, "", Stated(claim.statement))
    yield CellSpec(claim.id, "printed", block, PRINTED, Evidence(claim, "evidence"))
    yield CellSpec(claim.id, "on_print", block, PRINTED, Evidence(claim, "verdict"))


def _ours(
    lists: Lists, claim: Claim, tested: Tested, compared: Compared,
    family: tuple[tuple[str, str], ...], resamples: int,
) -> Iterator[CellSpec]:  # fmt: skip
    row, block, metric = claim.id, SECTIONS[claim.section], tested.metric
    rules = lists.rules()
    parameters = rules if is_classified(metric) else {}
    words = f"{compared.words} ({metric.replace('-', ' ')})"
    yield CellSpec(row, "compared", block, "", Stated(words))
    for column, form in NUMBERS:
        if column == "p_holm":
            sample = Holm((row, "p"), family)
            yield CellSpec(row, column, block, "holm", sample, form)
            continue
        extra = {"p": "p", "items_compared": "n"}.get(column)
        yield CellSpec(
            row, column, block, metric, compared.contrast, form, parameters,
            extra=extra, resamples=resamples,
        )  # fmt: skip
    held = Held(compared.contrast, tested.counted, tuple(sorted(rules.items())))
    yield CellSpec(row, "held", block, "", held)
    alpha = round(1 - float(lists.job["statistics"]["level"]), 9)
    decided = Decided((row, "difference"), (row, "p_holm"), alpha, tested.margin)
    yield CellSpec(row, "verdict", block, "", decided)


def _missing(claim: Claim, tested: Tested, reason: str) -> Iterator[CellSpec]:
    row, block, nothing = claim.id, SECTIONS[claim.section], tested.comparison
    word = nothing.verdict if isinstance(nothing, Nothing) else NOT_RUN
    yield CellSpec(row, "compared", block, "", Stated(f"{word}: {reason}"))
    yield CellSpec(row, "difference", block, "", NotAtHand(reason), "+.2f")
    yield CellSpec(row, "verdict", block, "", Stated(word))


def _notes(lists: Lists, resamples: int) -> Iterator[str]:
    yield from lists.judge_notes()
    yield (
        "The paper's own tables: the claim held against the numbers in print. Our ratings: "
        "difference in the metric that is named, over the dialogues that all compared scored (n); "
        "with several comparisons their mean, within each dataset for claims of 5.3 and pooled for "
        "the others. The best of several is chosen anew in every resample, which favours the side "
        "that has more to choose from."
    )
    yield (
        f"Interval and two-sided p: bootstrap over dialogues, all compared on the same "
        f"{resamples:,} resamples; p Holm: corrected over all tests of this table. higher: in how "
        "many comparisons and metrics of the paper's table the first is above, by point values."
    )
    yield (
        "Verdict on our ratings: supported or contradicted where the corrected p and the interval "
        "exclude no difference, else not decidable at this n. Of a stated amount only the "
        f"direction is tested. Claims of no real difference: within {LITTLE:g} either way. That "
        "more examples do not always help is tested as the tendency of 1-shot above 4-shot."
    )
    yield (
        "Claims about all metrics are decided by macro F1, those about tuning by defect F1; "
        "F1-micro is read as the accuracy of whole ratings. Other judges and dialogues than the "
        "paper's: a verdict is about these."
    )
    yield lists.note_defect()
