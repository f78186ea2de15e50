"""Everything that can be made again from what lies beside it, in the order of the flow."""

from collections.abc import Iterator
from importlib import import_module

from retrial.audit.code import code_link
from retrial.audit.sidecars import Folder, Sidecar
from retrial.audit.stage import Recompute, Stage
from retrial.audit.states import Link
from retrial.errors import RetrialError

RULES = {
    "build_items": ("stage_items", "recompute_items"),
    "choose_examples": ("stage_scoring", "recompute_examples"),
    "build_prompts": ("stage_scoring", "recompute_built_prompts"),
    "ask_judge": ("stage_judging", "recompute_answers"),
    "read_recording": ("stage_judging", "recompute_recording"),
    "story_order": ("stage_scoring", "recompute_links"),
    "rate_answers": ("stage_scoring", "recompute_ratings"),
    "build_table": ("stage_tables", "recompute_table"),
    "check_consistency": ("stage_tables", "recompute_findings"),
    "render_table": ("stage_tables", "recompute_rendering"),
}
"""Module and function that recompute a rule's outputs. Other outputs rest on their digests."""

ORDER = tuple(RULES)


def recompute(folder: Folder) -> Iterator[Link]:
    """Every recomputation of a folder, the code that made each output, and what damage reaches."""
    stages = _stages(folder)
    for stage in stages:
        yield code_link(stage.sidecar)
        yield from attempt(stage, "recomputation")
    yield from _reached(stages)


def _stages(folder: Folder) -> list[Stage]:
    damage: set[tuple[str, ...]] = set()
    cache: dict[object, object] = {}
    whole = [s for s in folder.sidecars if not s.fault]
    ordered = sorted(whole, key=lambda s: (_place(s), s.place))
    return [Stage(folder, sidecar, damage, cache) for sidecar in ordered]


def _rule(sidecar: Sidecar) -> str:
    rule = sidecar.rule
    return "read_recording" if rule.startswith("read_recording") else rule


def _place(sidecar: Sidecar) -> int:
    rule = _rule(sidecar)
    return ORDER.index(rule) if rule in RULES else len(ORDER)


def attempt(stage: Stage, what: str) -> Iterator[Link]:
    """The links of one stage; an input that can't be read breaks this one and no other."""
    named = RULES.get(_rule(stage.sidecar))
    if named is None:
        return
    module, function = named
    work: Recompute = getattr(import_module(f"retrial.audit.{module}"), function)
    try:
        yield from work(stage)
    except RetrialError as error:
        yield stage.link(what, "MISMATCH", f"can't be made again: {error}")
    except Exception as error:  # a damaged record may break anything that reads it
        yield stage.link(what, "MISMATCH", f"can't be made again: {error!r}")


def _reached(stages: list[Stage]) -> Iterator[Link]:
    """The cells that use a record which its source no longer gives."""
    from retrial.audit.stage_tables import cells_using

    for stage in stages:
        if not stage.damage or _rule(stage.sidecar) != "build_table":
            continue
        try:
            for used in cells_using(stage, stage.damage):
                kind, key = used.record[0], " ".join(used.record[1:])
                yield stage.link(f"cell {used.cell}", "MISMATCH", f"uses the broken {kind} {key}")
        except Exception as error:
            yield stage.link("cells", "MISMATCH", f"can't be read: {error!r}")
