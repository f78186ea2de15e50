"""Adapter of rule write_forms."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config import Draw
from retrial.config.forms import Form
from retrial.forms.form import askable, drawn_items, make_form
from retrial.forms.page import form_page
from retrial.items.build import judged_ids
from retrial.judging.templates import load_template
from retrial.record import ITEMS, read

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
form = Form.model_validate({"label": job["label"], **job["spec"]})
items = read(Path(snakemake.input.dataset), ITEMS)
asked = judged_ids(items, Draw.model_validate(job["judged"]) if job["judged"] else None)
templates = {name: load_template(Path(job["folder"]), name) for name in form.templates}
page = make_form(
    items,
    drawn_items(askable(items, asked, templates), form.items, job["number"], form.seed),
    templates,
    form=job["form"],
    number=job["number"],
    label=form.label,
)
run.facts |= {"form_sha256": page.sha256, "items": len(page.pages)}
run.write_text(Path(snakemake.output[0]), form_page(page))
