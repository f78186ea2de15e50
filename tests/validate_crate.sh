#!/usr/bin/env bash
# tests/validate_crate.sh ROOT: the RO-Crate of a results folder against the Provenance Run
# Crate profile (and with it Workflow and Process Run Crate), by the validator of its makers.
#
# The first time, an environment of its own is made in .cache/crate-validator from the package
# index. The one JSON-LD context that a crate names is taken from a package as well, so that the
# validation itself runs offline.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${1:?usage: tests/validate_crate.sh ROOT}
home=${RETRIAL_CRATE_VALIDATOR:-.cache/crate-validator}
if ! cmp --silent envs/crate-validator.lock "$home/lock"; then
  ${PYTHON:-python3.11} -m venv --clear "$home"
  "$home/bin/python" -m pip install --quiet --requirement envs/crate-validator.lock
  "$home/bin/python" -m pip install --quiet --no-deps --target "$home/context" rocrate==0.13.0
  "$home/bin/python" tests/seed_contexts.py "$home/http" "$home/context/rocrate/data/ro-crate.jsonld"
  cp envs/crate-validator.lock "$home/lock"
fi
.venv/bin/python -m retrial.cli crate "$root"
exec "$home/bin/rocrate-validator" --no-interactive validate --profile-identifier provenance-run-crate \
  --offline --cache-path "$home/http" --skip-availability-check --no-paging --verbose "$root"
