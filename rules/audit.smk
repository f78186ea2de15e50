# Stage: audit.   Reads: every result of the run, the report included, and all sidecars.
# Writes: <results>/MANIFEST.json, which lists them by sha256 and size under one root digest.
# Needs: neither network nor GPU.
from retrial.audit.manifest_inputs import manifest_inputs


rule manifest:
    """One digest over all that was made, written last."""
    input:
        lambda w: manifest_inputs(plan),
    output:
        recorded(plan.path("MANIFEST.json")),
    log:
        "logs/write_manifest.log",
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job={},
        code=plan.code("write_manifest.py"),
    script:
        "../scripts/write_manifest.py"
