"""The JSON schema of config.yaml, for editors; config.schema.json at the root holds its text.

Run as a module to write that file: `python -m retrial.config.schema > config.schema.json`.
"""

import json
import sys

from retrial.config import Config

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_text() -> str:
    """The schema as JSON: keys sorted, indented, with a line end."""
    schema = {"$schema": DIALECT, **Config.model_json_schema(by_alias=True)}
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(schema_text())
