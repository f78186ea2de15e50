# Stage: sources.   Reads: data/sources.yaml and the network (or RETRIAL_MIRROR).
# Writes: data/raw/<source>/<file>.   Needs: network, no GPU.
from retrial.sources.catalogue import load_sources

sources = load_sources(Path(workflow.basedir) / plan.config.sources)


rule fetch_source:
    """One file from its pinned address or the mirror, checked by sha256."""
    output:
        recorded(f"{plan.config.raw}/{{source}}/{{file}}"),
    log:
        "logs/fetch_source/{source}/{file}.log",
    wildcard_constraints:
        file=r"[A-Za-z0-9][A-Za-z0-9_.-]*(?<!\.prov\.json)",
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: {
            "source": w.source,
            "file": w.file,
            "pin": sources.file(w.source, w.file).model_dump(mode="json"),
        },
        code=plan.code("fetch_source.py"),
    script:
        "../scripts/fetch_source.py"
