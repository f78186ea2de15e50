"""The crate: what the profiles demand of it, what it says of each job, and what it never says."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from exchange_jobs import CHECKOUT
from exchange_root import Project, files_of, make_project

from retrial.audit.sidecars import open_folder
from retrial.digest import sha256_file
from retrial.errors import RetrialError
from retrial.exchange.crate import CRATE, crate_text, write_crate
from retrial.exchange.jobs import jobs_of
from retrial.exchange.licences import load_catalogue
from retrial.record import Run

Entity = dict[str, Any]
TERMS = set(
    """about additionalType author citation conformsTo contentSize datePublished description
    encodingFormat endTime exampleOfWork hasPart identifier input instrument isPartOf license
    mainEntity mentions name object output position programmingLanguage result
    softwareRequirements softwareVersion startTime step url value version workExample
    ComputationalWorkflow ComputerLanguage ControlAction CreateAction CreativeWork Dataset File
    FormalParameter HowTo HowToStep OrganizeAction Person PropertyValue PublicationVolume
    ScholarlyArticle SoftwareApplication SoftwareSourceCode""".split()  # noqa: SIM905
)
"""Terms that were looked up in the context of RO-Crate 1.1; look up others before adding them."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = make_project(tmp_path_factory.mktemp("crate") / "project")
    write_crate(made.root, data=made.data)
    return made


@pytest.fixture(scope="module")
def graph(project: Project) -> dict[str, Entity]:
    content = json.loads((project.root / CRATE).read_text(encoding="utf-8"))
    entities = content["@graph"]
    assert len({entity["@id"] for entity in entities}) == len(entities)
    return {entity["@id"]: entity for entity in entities}


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def kinds(entity: Entity) -> list[str]:
    return listed(entity["@type"])


def of_kind(graph: dict[str, Entity], kind: str) -> list[Entity]:
    return [entity for entity in graph.values() if kind in kinds(entity)]


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from [value["@id"]] if set(value) == {"@id"} else []
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def refers(graph: dict[str, Entity], entity: Entity, name: str) -> list[Entity]:
    return [graph[identifier] for identifier in references(entity.get(name))]


def test_nothing_refers_to_an_entity_that_is_not_there(graph: dict[str, Entity]) -> None:
    outside = {"https://w3id.org/ro/crate/1.1", "https://snakemake.github.io"}
    for entity in graph.values():
        for value in entity.values():
            assert not set(references(value)) - graph.keys() - outside


def test_files_are_there_and_carry_their_digests(
    project: Project, graph: dict[str, Entity]
) -> None:
    files = {e["@id"]: e for e in of_kind(graph, "File") if "://" not in e["@id"]}
    held = {p.relative_to(project.root).as_posix(): p for p in files_of(project.root)}
    assert files.keys() == held.keys() - {CRATE}
    assert all(sha256_file(held[place]) == e["sha256"] for place, e in files.items())
    parts = set(references(graph["./"]["hasPart"]))
    assert files.keys() <= parts


def test_the_workflow_meets_the_profiles(graph: dict[str, Entity]) -> None:
    root = graph["./"]
    profiles = set(references(root["conformsTo"]))
    for name in ("process", "workflow", "provenance"):
        assert f"https://w3id.org/ro/wfrun/{name}/0.5" in profiles
    (main,) = refers(graph, root, "mainEntity")
    assert {"File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"} <= set(kinds(main))
    assert all("ComputerLanguage" in kinds(e) for e in refers(graph, main, "programmingLanguage"))
    tools = refers(graph, main, "hasPart")
    assert tools and all("SoftwareApplication" in kinds(tool) for tool in tools)
    for step in refers(graph, main, "step"):
        assert refers(graph, step, "workExample")[0] in tools and step["position"].isdigit()
    for parameter in [*refers(graph, main, "input"), *refers(graph, main, "output")]:
        assert "FormalParameter" in kinds(parameter) and parameter["additionalType"]
        assert refers(graph, parameter, "workExample")
    (run,) = [a for a in of_kind(graph, "CreateAction") if main in refers(graph, a, "instrument")]
    (organised,) = of_kind(graph, "OrganizeAction")
    assert refers(graph, organised, "result") == [run]
    controls = refers(graph, organised, "object")
    assert len(controls) == len(of_kind(graph, "CreateAction")) - 1
    for control in controls:
        assert kinds(refers(graph, control, "instrument")[0]) == ["HowToStep"]
        assert kinds(refers(graph, control, "object")[0]) == ["CreateAction"]


def test_each_job_is_an_action(project: Project, graph: dict[str, Entity]) -> None:
    jobs = jobs_of(open_folder(project.root).sidecars)
    assert len(jobs) == 7  # items with human ratings, and two renderings, are one job each
    for job in jobs:
        action = graph[f"#job-{job.id}"]
        assert (action["startTime"], action["endTime"]) == (job.started, job.ended)
        (tool,) = refers(graph, action, "instrument")
        assert tool["name"] == job.rule and job.code_digest in tool["softwareVersion"]
        assert set(job.outputs) == {e["@id"] for e in refers(graph, action, "result")}
        read = refers(graph, action, "object")
        assert set(job.inputs.values()) <= {entity.get("sha256") for entity in read}
        values = {e["name"]: e["value"] for e in read if "PropertyValue" in kinds(e)}
        assert job.parameters.keys() <= values.keys()
        assert values["python"] == job.job["python"]
    judged = next(job for job in jobs if job.rule == "ask_judge")
    values = [graph[f"#{judged.id}-fact-{name}"]["value"] for name in ("model", "revision")]
    assert values == ["dice", "r1"]


def test_only_terms_that_the_context_of_1_1_defines_are_used(
    project: Project, graph: dict[str, Entity]
) -> None:
    """A term that is not in it makes a crate invalid. `sha256` is defined by the crate itself."""
    content = json.loads((project.root / CRATE).read_text(encoding="utf-8"))
    address, own = content["@context"]
    assert address == "https://w3id.org/ro/crate/1.1/context"
    used = {name for entity in graph.values() for name in entity if not name.startswith("@")}
    used |= {kind for entity in graph.values() for kind in kinds(entity)}
    assert used <= TERMS | own.keys(), used - TERMS - own.keys()


def test_the_papers_are_cited_and_terms_are_told(graph: dict[str, Entity]) -> None:
    papers = refers(graph, graph["./"], "citation")
    assert {paper["name"].split()[0] for paper in papers} == {"Leveraging", "Can"}
    (terms,) = refers(graph, graph["./"], "license")
    assert "some state none" in terms["description"]


def test_the_same_sidecars_give_the_same_text(project: Project) -> None:
    first = (project.root / CRATE).read_bytes()
    write_crate(project.root, data=project.data)
    assert (project.root / CRATE).read_bytes() == first


def text_of(root: Path, files: dict[str, str]) -> str:
    needed = {"workflow/Snakefile": "0" * 64, **files}
    return crate_text(open_folder(root), needed, load_catalogue(CHECKOUT / "data"))


def test_no_path_host_or_secret_of_the_machine_is_told(tmp_path: Path) -> None:
    source = tmp_path / "elsewhere" / "input.csv"
    source.parent.mkdir()
    source.write_text("1")
    parameters = {"cache": str(tmp_path / "cache"), "api_key": "abc", "note": "hf_" + "b2" * 15}
    run = Run("some_rule", tmp_path / "r", (source,), parameters)
    run.write_text(tmp_path / "r" / "tables" / "a_b.csv", "1")
    place = "tables/a_b.csv"
    text = text_of(tmp_path / "r", {place: sha256_file(tmp_path / "r" / place)})
    assert str(tmp_path) not in text and "hf_b2" not in text and '"abc"' not in text
    assert socket.gethostname() not in re.findall(r'"value": "([^"]*)"', text)
    assert "(outside)/input.csv" in text


def test_a_download_is_named_by_its_address_with_its_licence(tmp_path: Path) -> None:
    known = load_catalogue(CHECKOUT / "data")["uss"]
    run = Run("build_items", tmp_path)
    run.write_text(tmp_path / "tables" / "a_b.csv", "1")
    sidecar = tmp_path / "tables" / "a_b.csv.prov.json"
    record = json.loads(sidecar.read_text())
    record["inputs"] = [{"path": "data/raw/uss/CCPE.txt", "sha256": "f" * 64}]
    sidecar.write_text(json.dumps(record))
    content = json.loads(text_of(tmp_path, {}))
    entities = {entity["@id"]: entity for entity in content["@graph"]}
    found = entities[known.files["CCPE.txt"].url]
    assert found["sha256"] == "f" * 64 and "File" in kinds(found)
    assert found["citation"] == known.citation
    assert refers(entities, found, "license")[0]["name"] == "none stated"


def test_an_output_that_changed_is_not_passed_off_as_the_jobs(tmp_path: Path) -> None:
    Run("some_rule", tmp_path).write_text(tmp_path / "tables" / "a_b.csv", "1")
    content = json.loads(text_of(tmp_path, {"tables/a_b.csv": "1" * 64}))
    entities = {entity["@id"]: entity for entity in content["@graph"]}
    (action,) = [e for e in entities.values() if e["@id"].startswith("#job-")
                 and "CreateAction" in kinds(e)]  # fmt: skip
    (result,) = refers(entities, action, "result")
    assert result["@id"] != "tables/a_b.csv" and "File" not in kinds(result)


def test_a_folder_without_a_whole_sidecar_has_no_crate(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "a.csv.prov.json").write_text("{")
    with pytest.raises(RetrialError, match="no sidecar is whole"):
        text_of(tmp_path, {})
