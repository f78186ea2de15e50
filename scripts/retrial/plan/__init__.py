"""Which file each stage makes, from what, and with which parameters.

Pure functions of the configuration, light enough for the Snakefile: a rule asks the plan for
its inputs and its parameters. Parameters leave out what is at its default, so that a new
configuration field reruns nothing. One module a stage, each adding to the one before it.
"""

from retrial.plan.figures import Figures
from retrial.plan.paths import (
    BACKENDS,
    FIGURES,
    METHODS,
    PARSERS,
    READERS,
    RECORDED,
    SCRIPTS,
    TABLES,
    leaves,
    plugin_module,
)
from retrial.plan.stories import STORY_READERS

__all__ = [
    "BACKENDS",
    "FIGURES",
    "METHODS",
    "PARSERS",
    "READERS",
    "RECORDED",
    "SCRIPTS",
    "STORY_READERS",
    "TABLES",
    "Plan",
    "leaves",
    "plugin_module",
]


class Plan(Figures):
    """The files and jobs of one configuration."""
