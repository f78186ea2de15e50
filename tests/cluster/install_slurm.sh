#!/usr/bin/env bash
# Slurm and munge from Debian's packages, for tests/cluster. Without them those tests are
# skipped by name. The packages' own services are stopped: the tests start their own daemons.
set -uo pipefail
if command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null; then
  exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "tests/cluster will be skipped: they need root, and slurmctld, slurmd and munge" >&2
  exit 0
fi
install_packages() {
  DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends \
    slurmctld slurmd slurm-client munge >/dev/null
}
install_packages || { apt-get update --quiet >/dev/null && install_packages; } ||
  echo "tests/cluster will be skipped: Slurm could not be installed" >&2
if command -v systemctl >/dev/null && [ -d /run/systemd/system ]; then
  systemctl stop slurmctld slurmd munge
fi
exit 0
