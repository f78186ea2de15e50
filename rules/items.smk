# Stage: items.   Reads: downloads and packaged data.
# Writes: <results>/items/<dataset>.parquet, <results>/ratings/human/<dataset>.parquet.
# Needs: neither network nor GPU.


rule build_items:
    """A dataset's items with their split, and people's ratings of them."""
    input:
        lambda w: plan.dataset_sources(w.dataset),
    output:
        recorded(plan.items("{dataset}")),
        recorded(plan.human("{dataset}")),
    log:
        "logs/build_items/{dataset}.log",
    wildcard_constraints:
        dataset=any_of(plan.config.datasets),
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: {**plan.items_job(w.dataset), "plugins": [reader_module(w)]},
        code=lambda w: plan.code("build_items.py", reader_module(w)),
    script:
        "../scripts/build_items.py"
