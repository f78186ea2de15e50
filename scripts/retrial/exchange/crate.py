"""An RO-Crate of a results folder, written from its sidecars alone.

RO-Crate 1.1 with the Workflow Run profiles 0.5 (Process, Workflow and Provenance Run Crate). Each
job is a CreateAction with the code that ran as instrument, its inputs as object, its outputs as
result and its parameters as PropertyValues; files carry their sha256. Numbers inside tables are
not in the crate: `retrial audit` tells where a number comes from. The same sidecars give the same
text; it names no host, no user, no absolute path and no secret.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retrial.audit.sidecars import Folder, digest, open_folder
from retrial.errors import RetrialError
from retrial.exchange.actions import MAIN, MAIN_KINDS, add_run
from retrial.exchange.contents import contents
from retrial.exchange.entities import Crate
from retrial.exchange.jobs import jobs_of
from retrial.exchange.licences import data_folder, load_catalogue
from retrial.exchange.terms import OWN_LICENCE, PAPERS, PROFILES, WORKFLOW_CRATE
from retrial.record import write_atomically
from retrial.sources.catalogue import Source

CRATE = "ro-crate-metadata.json"
NAME = "Results of Retrial"
ABOUT = "Two studies of language models as judges of text, re-run and put on the record."
LICENCE = (
    "The workflow and its own texts: Apache-2.0. Texts and ratings of the sources stay under the "
    "terms of their authors, which each source's entry states; some state none."
)


def write_crate(root: Path, *, data: Path | None = None, workflow: Path | None = None) -> Path:
    """Write `<root>/ro-crate-metadata.json` and, beside it, the workflow that it describes.

    Returns the metadata's path. `data` and `workflow` are the project's data folder and checkout.
    Raises RetrialError when `root` holds no record or the workflow is not found.
    """
    folder, data = open_folder(root), data or data_folder()
    held = contents(folder, data, workflow).members
    kept = {place: path for place, path in held.items() if not place.startswith("data/")}
    for place, path in kept.items():
        if place.startswith("workflow/"):
            write_atomically(root / place, path.read_bytes())
    digests = {place: digest(path) for place, path in kept.items()}
    write_atomically(root / CRATE, crate_text(folder, digests, load_catalogue(data)).encode())
    return root / CRATE


def crate_text(folder: Folder, files: Mapping[str, str], catalogue: Mapping[str, Source]) -> str:
    """The metadata of a crate that holds these files (path -> sha256), as JSON-LD.

    Raises RetrialError when no sidecar of the folder is whole.
    """
    jobs = jobs_of(folder.sidecars)
    if not jobs:
        raise RetrialError(f"{folder.root}: no sidecar is whole; there is nothing to describe")
    crate = Crate(files, catalogue)
    _describe(crate, max(job.ended for job in jobs))
    crate.file(MAIN, MAIN_KINDS)
    for place in sorted(files):
        crate.file(place)
    add_run(crate, jobs)
    return json.dumps(crate.generate(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _describe(crate: Crate, published: str) -> None:
    """The crate itself: name, licence, profiles, and the papers that it re-runs."""
    papers = [_paper(crate, address, about) for address, about in PAPERS.items()]
    profiles = [
        crate.add(address, "CreativeWork", name=name, version=version)
        for address, (name, version) in PROFILES.items()
    ]
    crate.conform([WORKFLOW_CRATE])
    terms = crate.add("#terms", "CreativeWork", name="Terms of use", description=LICENCE)
    crate.add(OWN_LICENCE, "CreativeWork", name="Apache License 2.0", identifier=OWN_LICENCE)
    crate.root(
        name=NAME,
        description=ABOUT,
        datePublished=published,
        license=terms,
        conformsTo=profiles,
        citation=papers,
    )


def _paper(crate: Crate, address: str, about: Mapping[str, Any]) -> Any:
    authors = [
        crate.add(f"#author-{name.lower().replace(' ', '-')}", "Person", name=name)
        for name in about["author"].split(", ")
    ]
    venue = about["isPartOf"]
    whole = crate.add(f"#{venue.lower().replace(' ', '-').replace(',', '')}", "PublicationVolume",
                      name=venue)  # fmt: skip
    fields = {**about, "author": authors, "isPartOf": whole}
    return crate.add(address, "ScholarlyArticle", **fields)
