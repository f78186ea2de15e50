# Stage: examples.   Reads: items, and a prepared encoder where the selector needs one.
# Writes: <results>/examples/<dataset>/<selector>.parquet.   Needs: no network; a GPU helps.


rule choose_examples:
    """In-context examples for every judged item, from the training split."""
    input:
        dataset=plan.items("{dataset}"),
        encoder=lambda w: plan.encoder_model(w.selector),
    output:
        recorded(plan.path("examples", "{dataset}", "{selector}.parquet")),
    log:
        "logs/choose_examples/{dataset}/{selector}.log",
    benchmark:
        plan.path("benchmarks", "choose_examples", "{dataset}", "{selector}.tsv")
    conda:
        SCRIPT_ENV
    threads: plan.config.threads
    params:
        job=lambda w: {
            **plan.examples_job(w.dataset, w.selector),
            "plugins": [method_module(w)],
        },
        code=lambda w: plan.code("choose_examples.py", method_module(w)),
    script:
        "../scripts/choose_examples.py"
