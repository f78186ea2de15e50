# What every rules file uses: the validated plan, the guard of wildcards, recorded outputs.
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))

from retrial.config import ID_PATTERN, TABLE_PATTERN, load_config
from retrial.errors import RetrialError
from retrial.plan import BACKENDS, METHODS, PARSERS, READERS, Plan, module

try:
    plan = Plan(load_config(config))
except RetrialError as error:
    raise WorkflowError(str(error))

SCRIPT_ENV = "../envs/retrial.yaml"


wildcard_constraints:
    source=ID_PATTERN,
    dataset=ID_PATTERN,
    selector=ID_PATTERN,
    experiment=ID_PATTERN,
    judge=ID_PATTERN,
    model=ID_PATTERN,
    table=TABLE_PATTERN,


def recorded(path):
    """An output and its sidecar: the job writes both, the sidecar first."""
    return [path, f"{path}.prov.json"]
