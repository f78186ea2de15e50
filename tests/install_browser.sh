#!/usr/bin/env bash
# Chromium and its driver for tests/browser, where the system lets us install them. Without
# them those tests are skipped by name.
set -uo pipefail
command -v chromium >/dev/null && command -v chromedriver >/dev/null && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "tests/browser will be skipped: install chromium and chromedriver to run them" >&2
  exit 0
fi
apt-get install --yes --quiet --no-install-recommends chromium chromium-driver >/dev/null ||
  { apt-get update --quiet >/dev/null &&
    apt-get install --yes --quiet --no-install-recommends chromium chromium-driver >/dev/null; } ||
  echo "tests/browser will be skipped: chromium could not be installed" >&2
exit 0
