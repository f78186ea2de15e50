# Stage: models.   Reads: the model hub, or a model that a pip package ships.
# Writes: <results>/models/<judge or encoder>.json; weights go to the folder `models`.
# Needs: network, no GPU. Later jobs load from the folder with the hub offline.


rule prepare_model:
    """A judge's or encoder's files in place, their digests and revision on record."""
    output:
        recorded(plan.model("{model}")),
    log:
        "logs/prepare_model/{model}.log",
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: plan.model_job(w.model),
        code=plan.code("prepare_model.py"),
    script:
        "../scripts/prepare_model.py"
