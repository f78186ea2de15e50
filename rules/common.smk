# What every rules file uses: the validated plan, the guard of wildcards, recorded outputs.
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))

from retrial.config import ID_PATTERN, TABLE_PATTERN, load_config
from retrial.errors import RetrialError
from retrial.judging.templates import load_template
from retrial.plan import (
    BACKENDS,
    FIGURES,
    METHODS,
    PARSERS,
    READERS,
    STORY_READERS,
    Plan,
    plugin_module,
)

try:
    plan = Plan(load_config(config))
except RetrialError as error:
    raise WorkflowError(str(error))

prompts_folder = Path(workflow.basedir) / plan.config.prompts
loaded = {name: load_template(prompts_folder, name) for name in plan.template_names()}
templates = {name: template.sha256 for name, template in loaded.items()}
answer_forms = {name: template.form for name, template in loaded.items()}

SCRIPT_ENV = "../envs/retrial.yaml"


def any_of(names):
    """A pattern that matches these ids and nothing else."""
    return "|".join(re.escape(name) for name in sorted(names)) or ID_PATTERN


wildcard_constraints:
    source=ID_PATTERN,
    dataset=any_of([*plan.config.datasets, *plan.families()]),
    selector=ID_PATTERN,
    experiment=ID_PATTERN,
    judge=any_of(plan.config.judges),
    model=ID_PATTERN,
    table=TABLE_PATTERN,
    figure=TABLE_PATTERN,
    story_set=any_of(plan.config.story_sets),
    generator=any_of(plan.config.generators),


def recorded(path):
    """An output and its sidecar: the job writes both, the sidecar first."""
    return [path, f"{path}.prov.json"]


def reader_module(wildcards):
    """The module that reads a dataset's files."""
    return plugin_module(READERS, plan.config.datasets[wildcards.dataset].reader)


def method_module(wildcards):
    """The module that chooses examples."""
    return plugin_module(METHODS, plan.config.selectors[wildcards.selector].method)


def backend_module(wildcards):
    """The module that asks a judge."""
    return plugin_module(BACKENDS, plan.config.judges[wildcards.judge].backend)


def table_module(wildcards):
    """The module that declares a table."""
    return plan.table_module(wildcards.table)


def figure_module(wildcards):
    """The module that draws a figure."""
    return plugin_module(FIGURES, wildcards.figure)


def judge_memory(wildcards):
    """Megabytes that a judging job asks for."""
    return plan.config.judges[wildcards.judge].resources.memory_gb * 1000


def generator_memory(wildcards):
    """Megabytes that a job with a generator asks for."""
    return plan.config.generators[wildcards.generator].resources.memory_gb * 1000


def story_reader_module(wildcards):
    """The module that reads a story set's files."""
    return plugin_module(STORY_READERS, plan.config.story_sets[wildcards.story_set].reader)
