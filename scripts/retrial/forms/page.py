"""A rating form as one HTML file that needs no server and no network."""

import hashlib
from base64 import b64encode
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from retrial import __version__
from retrial.errors import RetrialError
from retrial.forms.form import RatingForm
from retrial.items.export_file import FORMAT
from retrial.report.scripts import script_json
from retrial.report.theme import asset

PAGE, STYLE, SCRIPTS = "form.html.j2", "form.css", ("progress.js", "form.js")


def form_page(form: RatingForm) -> str:
    """The whole file. Raises RetrialError for a text that HTML can't hold (a NUL character)."""
    style = asset("report.css").decode() + _own(STYLE)
    script = "".join(_own(name) for name in SCRIPTS)
    asked = {page.item_id: page.attributes for page in form.pages}
    data = {"format": FORMAT, "about": dict(form.about), "asked": asked, "sha256": form.sha256}
    policy = (
        f"default-src 'none'; style-src '{_source(style)}'; script-src '{_source(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        _environment()
        .get_template(PAGE)
        .render(
            form=form,
            policy=policy,
            style=Markup(style),
            script=Markup(script),
            data=Markup(script_json(data)),
            version=__version__,
        )
    )


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("retrial.forms", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["exact"] = _exact
    return found


def _exact(text: str) -> Markup:
    """Text that a browser gives back as it is: it would read a carriage return as a line feed."""
    if "\0" in text:
        raise RetrialError(f"form: a NUL character can't be shown: {text[:60]!r}")
    return Markup(str(escape(text)).replace("\r", "&#13;"))


def _own(name: str) -> str:
    return files(__package__ or "").joinpath(name).read_text("utf-8")


def _source(text: str) -> str:
    """How a content security policy names this one inline text."""
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode()
