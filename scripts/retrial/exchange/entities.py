"""The crate under construction: files, sources and other entities, each added once."""

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from retrial.exchange.licences import terms
from retrial.exchange.portable import portable_text
from retrial.exchange.terms import CRATE_VERSION, ENCODINGS, EXTRA_TERMS
from retrial.sources.catalogue import Source

RAW = "data/raw/"


class Crate:
    """A crate that holds `files` (path -> sha256) and refers to the sources of `catalogue`."""

    def __init__(self, files: Mapping[str, str], catalogue: Mapping[str, Source]) -> None:
        self.files, self.catalogue = files, catalogue
        self._crate = ROCrate(version=CRATE_VERSION)
        self._crate.metadata.extra_terms = dict(EXTRA_TERMS)

    def root(self, **properties: Any) -> None:
        """Set properties of the crate itself."""
        for name, value in properties.items():
            self._crate.root_dataset[name] = value

    def main(self, entity: Any) -> None:
        """Make an entity the crate's main one."""
        self._crate.root_dataset["mainEntity"] = entity

    def conform(self, profiles: list[str]) -> None:
        """Add profiles to those that the metadata file itself conforms to."""
        own = self._crate.metadata.profile
        self._crate.metadata["conformsTo"] = [{"@id": profile} for profile in (own, *profiles)]

    def mention(self, entities: list[Any]) -> None:
        """Let the crate mention what was done."""
        self._crate.root_dataset["mentions"] = entities

    def get(self, identifier: str) -> Any:
        """An entity that was added, or None."""
        return self._crate.dereference(identifier)

    def add(self, identifier: str, kind: str | list[str], /, **properties: Any) -> Any:
        """A contextual entity; the one that is there already when the id was added before."""
        known = self._crate.dereference(identifier)
        if known is not None:
            return known
        kept = {name: value for name, value in properties.items() if value not in (None, "", [])}
        plain = {name: value for name, value in kept.items() if not _refers(value)}
        entity = self._crate.add(
            ContextEntity(self._crate, identifier, properties={"@type": kind, **plain})
        )
        for name in kept.keys() - plain.keys():
            entity[name] = kept[name]
        return entity

    def value(self, identifier: str, name: str, value: Any) -> Any:
        """A PropertyValue. What is no text or number is written as canonical JSON."""
        simple = isinstance(value, str | int | float) and not isinstance(value, bool)
        text = value if simple else json.dumps(value, sort_keys=True, ensure_ascii=False)
        return self.add(identifier, "PropertyValue", name=name, value=text)

    def file(self, place: str, kinds: tuple[str, ...] = (), **properties: Any) -> Any:
        """A file of the crate, with its digest."""
        known = self._crate.dereference(place)
        if known is not None:
            return known
        path = PurePosixPath(place)
        about = {
            "@type": ["File", *kinds] if kinds else "File",
            "name": path.name,
            "sha256": self.files[place],
            "encodingFormat": ENCODINGS.get(path.suffix, "text/plain"),
            **properties,
        }
        return self._crate.add_file(dest_path=place, properties=about)

    def input(self, recorded: str, sha256: str) -> Any:
        """What a job read: a file of the crate, a download, or a file that did not travel along."""
        if self.files.get(recorded) == sha256:
            return self.file(recorded)
        if recorded.startswith(RAW) and recorded.count("/") > 2:
            source, _, name = recorded.removeprefix(RAW).partition("/")
            if source in self.catalogue and name in self.catalogue[source].files:
                return self._download(source, name, sha256)
        return self._absent(recorded, sha256)

    def output(self, place: str, sha256: str) -> Any:
        """What a job wrote: as it was, even where the crate holds another or none."""
        return self.file(place) if self.files.get(place) == sha256 else self._absent(place, sha256)

    def _absent(self, recorded: str, sha256: str) -> Any:
        name = portable_text(recorded)
        about = "not in this crate as it was when the job ran"
        return self.add(f"#file-{sha256}", "CreativeWork", name=name, sha256=sha256,
                        description=about)  # fmt: skip

    def _download(self, source: str, name: str, sha256: str) -> Any:
        known = self.catalogue[source]
        address = known.files[name].url
        found = self._crate.dereference(address)
        if found is not None:
            return found
        about = {
            "name": name,
            "sha256": sha256,
            "encodingFormat": ENCODINGS.get(PurePosixPath(name).suffix, "text/plain"),
            "description": f"{known.title}. {known.note}",
            "citation": known.citation,
        }
        if known.files[name].bytes is not None:
            about["contentSize"] = str(known.files[name].bytes)
        entity = self._crate.add_file(address, fetch_remote=False, properties=about)
        entity["license"] = self._licence(source)
        return entity

    def _licence(self, source: str) -> Any:
        licence = terms(source, self.catalogue).licence
        known = self.catalogue[source]
        return self.add(f"#licence-{source}", "CreativeWork", name=licence, url=known.homepage,
                        description=f"Licence of {known.title}: {licence}")  # fmt: skip

    def generate(self) -> dict[str, Any]:
        """The JSON-LD, its entities and their references sorted, so that it is always the same."""
        content: dict[str, Any] = self._crate.metadata.generate()
        graph = [_sorted_references(entity) for entity in content["@graph"]]
        content["@graph"] = sorted(graph, key=lambda entity: str(entity["@id"]))
        return content


def _refers(value: Any) -> bool:
    first = value[0] if isinstance(value, list) else value
    return not isinstance(first, str | int | float | bool)


def _sorted_references(entity: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _sorted(value) for name, value in entity.items()}


def _sorted(value: Any) -> Any:
    """References in the order of their ids, a single one without its list."""
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        ordered = sorted(value, key=lambda part: str(part.get("@id")))
        return ordered if len(ordered) > 1 else ordered[0]
    return value
