"""`retrial plan`: what a run will take, told before anything runs."""

import json
from collections.abc import Iterator
from pathlib import Path

from retrial.errors import RetrialError


def plan_lines(
    profile: Path | None, overlays: list[Path], tables: list[str], as_one_object: bool
) -> Iterator[str]:
    """The estimate for these tables, or for all that the configuration makes.

    Raises RetrialError for a table that the configuration does not define.
    """
    from retrial.config.errors import explain
    from retrial.estimate.config_files import configured
    from retrial.estimate.show import as_json, estimate, lines
    from retrial.estimate.workload import Workload
    from retrial.plan import Plan

    config = configured(profile, overlays)
    for table in tables:
        if table not in config.tables:
            raise RetrialError(explain("plan", table, config.tables, "table"))
    found = estimate(Workload(Plan(config)), tables or list(config.make))
    if as_one_object:
        yield json.dumps(as_json(found), indent=2, sort_keys=True)
    else:
        yield from lines(found)
