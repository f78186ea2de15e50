"""Constant parts of the crate: profiles, terms, papers, and kinds of files."""

from typing import Any

CRATE_VERSION = "1.1"
WORKFLOW_CRATE = "https://w3id.org/workflowhub/workflow-ro-crate/1.0"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/provenance/0.5": ("Provenance Run Crate", "0.5"),
    WORKFLOW_CRATE: ("Workflow RO-Crate", "1.0"),
}
EXTRA_TERMS = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
"""The one term that the context of RO-Crate 1.1 lacks; written out, so that no other is fetched."""

WORKFLOW_PROFILE = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
PARAMETER_PROFILE = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"
SNAKEMAKE = "https://snakemake.github.io"
OWN_LICENCE = "https://spdx.org/licenses/Apache-2.0"

PAPERS: dict[str, dict[str, Any]] = {
    "https://aclanthology.org/2024.naacl-industry.30": {
        "name": "Leveraging LLMs for Dialogue Quality Measurement",
        "author": "Jinghan Jia, Abi Komma, Timothy Leffel, Xujun Peng, Ajay Nagesh, Tamer Soliman, "
        "Aram Galstyan, Anoop Kumar",
        "datePublished": "2024",
        "isPartOf": "NAACL 2024, Industry Track",
    },
    "https://aclanthology.org/2023.acl-long.870": {
        "name": "Can Large Language Models Be an Alternative to Human Evaluations?",
        "author": "Cheng-Han Chiang, Hung-yi Lee",
        "datePublished": "2023",
        "isPartOf": "ACL 2023",
    },
}
"""The two studies, by their address in the ACL Anthology."""

ENCODINGS = {
    ".parquet": "application/vnd.apache.parquet",
    ".json": "application/json",
    ".csv": "text/csv",
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".yaml": "application/yaml",
}
"""Media types by suffix; anything else is plain text."""

RESULTS = ("tables/", "figures/", "report/")
"""What the workflow as a whole is run for."""
