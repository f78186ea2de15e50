"""Titles before and after an attack on a text classifier (chiang2023 section 4.2).

The files are TextAttack's CSV logs, or the archive of such logs that Yoo et al. (2022) published;
only successful attacks count. The AG-News texts in the logs are a title and its description in
one; the study calls them titles. The study does not publish which pairs it drew.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from retrial.items.attacks.find import find_logs
from retrial.items.attacks.log import read_log
from retrial.items.attacks.settings import settings_of
from retrial.items.attacks.titles import AttackItem, as_items, draw_pairs

RATERS = "none"
"""No person's ratings of attacked titles are released."""


def read(
    paths: Sequence[Path],
    *,
    source: str,
    strata: Mapping[str, str],
    options: Mapping[str, str | int | float | bool],
) -> list[AttackItem]:
    """Titles and pairs of titles, drawn from the logs (see `Settings` for the options).

    `source_line` is a pair's line in its log. Raises RetrialError with file and line, or with
    what to place where when a log is not there.
    """
    settings = settings_of(options)
    drawn = {
        attack: draw_pairs(
            attack, read_log(log.data, log.place), log.source, settings.pairs, settings.seed
        )
        for attack, log in find_logs(paths, source, settings).items()
    }
    return list(as_items(drawn, strata, restore_html=settings.html == "restored"))
