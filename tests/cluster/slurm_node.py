"""A real Slurm on this machine alone: munge, one controller, one node, one make-believe GPU.

Slurm's own commands and Snakemake's nested `srun` read /etc/slurm/slurm.conf and no other
place, so the files go there; a configuration that is not ours is never touched.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ETC = Path("/etc/slurm")
MARK = "# written by tests/cluster of Retrial"
NEEDED = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "scontrol", "scancel")
CONF = """{mark}
ClusterName=retrial
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
MpiDefault=none
MailProg=/bin/true
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ReturnToService=2
EnforcePartLimits=ALL
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=100
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
SlurmctldPidFile={run}/slurmctld.pid
SlurmdPidFile={run}/slurmd.pid
SlurmctldLogFile={run}/slurmctld.log
SlurmdLogFile={run}/slurmd.log
StateSaveLocation={run}/state
SlurmdSpoolDir={run}/spool
KillWait=5
MinJobAge=300
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=2
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} Gres=gpu:1 State=UNKNOWN
PartitionName=cpu Nodes={host} Default=YES MaxTime=60 DefaultTime=10 State=UP
PartitionName=gpu Nodes={host} MaxTime=60 DefaultTime=10 State=UP
"""


def why_not() -> str:
    """Why no Slurm can be started here; empty when one can."""
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        return f"cluster tests need {', '.join(missing)} (tests/cluster/install_slurm.sh)"
    if os.geteuid() != 0:
        return "cluster tests start Slurm's daemons and need root"
    conf = ETC / "slurm.conf"
    if conf.exists() and not conf.read_text(encoding="utf-8").startswith(MARK):
        return f"{conf} is another cluster's; it is left alone"
    return ""


@contextmanager
def slurm_node(run: Path) -> Iterator[None]:
    """The node, idle and ready; every daemon is stopped by its pid at the end."""
    _write_files(run)
    daemons: list[int] = []
    try:
        if not _munge_runs():
            daemons.append(_start_munge())
        for command in (["slurmctld"], ["slurmd", "-N", _host()]):
            subprocess.run(command, check=True, timeout=30)
            pid_file = run / f"{command[0]}.pid"
            _wait(pid_file.exists, f"{command[0]} did not start; see {run}")
            daemons.append(int(pid_file.read_text()))
        _wait(lambda: _node_state() == "idle", f"the node is {_node_state()}; see {run}")
        yield
    finally:
        subprocess.run(["scancel", "--user", "root"], check=False, timeout=30)
        for pid in reversed(daemons):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        _wait(lambda: not any(_alive(pid) for pid in daemons), "a daemon did not stop")
        for name in ("slurm.conf", "gres.conf", "cgroup.conf"):
            (ETC / name).unlink(missing_ok=True)


def _write_files(run: Path) -> None:
    for folder in (ETC, run / "state", run / "spool"):
        folder.mkdir(parents=True, exist_ok=True)
    host, megabytes = _host(), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    conf = CONF.format(
        mark=MARK, host=host, run=run, cpus=os.cpu_count(), memory=int(megabytes * 0.9)
    )
    (ETC / "slurm.conf").write_text(conf, encoding="utf-8")
    gres = f"{MARK}\nNodeName={host} Name=gpu Count=1 File=/dev/null\n"
    (ETC / "gres.conf").write_text(gres, encoding="utf-8")
    (ETC / "cgroup.conf").write_text(f"{MARK}\nCgroupAutomount=no\n", encoding="utf-8")


def _host() -> str:
    return socket.gethostname().split(".")[0]


def _munge_runs() -> bool:
    tried = subprocess.run(["munge", "-n"], capture_output=True, check=False, timeout=30)
    return tried.returncode == 0


def _start_munge() -> int:
    """Starts munged as its own user; its key was made when the package was installed."""
    folder = Path("/run/munge")
    folder.mkdir(exist_ok=True)
    shutil.chown(folder, "munge", "munge")
    subprocess.run(["runuser", "-u", "munge", "--", "munged"], check=True, timeout=30)
    _wait(_munge_runs, "munged did not start")
    return int((folder / "munged.pid").read_text())


def _node_state() -> str:
    told = subprocess.run(
        ["sinfo", "--noheader", "--format=%t"], capture_output=True, text=True, check=False
    )
    return (told.stdout.split() or ["unknown"])[0]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return state != "Z"


def _wait(ready: Callable[[], bool], otherwise: str, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > until:
            raise TimeoutError(otherwise)
        time.sleep(0.3)
