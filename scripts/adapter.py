"""What every adapter does first: logging to the rule's log, and the record of the job."""

import logging
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

# The library beside this file, whatever other copy is installed: the record names its code.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from retrial.code_digest import code_files
from retrial.digest import sha256_file
from retrial.errors import RetrialError
from retrial.record import Run


def start(snakemake: Any, script_file: str) -> Run:
    """The run of this job: its inputs, named parameters and code; the log is set up."""
    _log_to(Path(snakemake.log[0]))
    script = Path(script_file).resolve()
    job = dict(snakemake.params.job)
    files = code_files(script, job.get("plugins", ()))
    return Run(
        rule=snakemake.rule,
        root=Path(snakemake.config.get("results", "results")),
        inputs=tuple(Path(p) for p in snakemake.input if not str(p).endswith(".prov.json")),
        parameters=job,
        code={name: sha256_file(path) for name, path in files.items()},
        code_digest=snakemake.params.code,
        lock=script.parent.parent / "envs" / "retrial.lock",
    )


def _log_to(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    logging.Formatter.converter = time.gmtime
    form = logging.Formatter("%(asctime)sZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
    for handler in (logging.StreamHandler(), logging.FileHandler(path, mode="w", encoding="utf-8")):
        handler.setFormatter(form)
        logging.getLogger().addHandler(handler)
    logging.getLogger("retrial").setLevel(logging.INFO)
    sys.excepthook = _report


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """A user's error in one line; anything else with its traceback, in the log as well."""
    log = logging.getLogger("retrial")
    if issubclass(kind, RetrialError):
        log.error("%s", error)
    else:
        log.error("unexpected error", exc_info=(kind, error, trace))
