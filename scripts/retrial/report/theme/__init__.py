"""The look of the report: page templates, one style sheet, two scripts."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

TEMPLATES = (
    "base.html.j2",
    "macros.html.j2",
    "overview.html.j2",
    "outcomes.html.j2",
    "table.html.j2",
    "findings.html.j2",
    "cell.html.j2",
    "figures.html.j2",
    "readings.html.j2",
    "provenance.html.j2",
)
ASSETS = ("report.css", "record.js", "report.js")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""No inline script or style, nothing from a network, no forms that send anything."""


@cache
def environment() -> Environment:
    """The templates' environment: all text is escaped, an undefined name is an error."""
    found = Environment(
        loader=PackageLoader("retrial.report.theme", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["json"] = _json
    found.filters["code_spans"] = _code_spans
    return found


def asset(name: str) -> bytes:
    """A file that is copied as it is."""
    return files(__name__).joinpath(name).read_bytes()


def render(template: str, page: str, **values: Any) -> bytes:
    """The page at `page` (its path below the site's root) from a template."""
    root = "../" * page.count("/")
    text = (
        environment()
        .get_template(template)
        .render(root=root, current=page, policy=POLICY, **values)
    )
    return (text.strip() + "\n").encode()


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)


def _code_spans(text: str) -> Markup:
    """Docstring text with its quoted code as elements; everything is escaped first."""
    return Markup(re.sub(r"``(.+?)``", r"<code>\1</code>", str(escape(text))))
