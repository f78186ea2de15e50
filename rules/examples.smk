# Stage: examples.   Reads: items, and a prepared encoder where a selector needs one.
# Writes: <results>/embeddings/<dataset>/<encoder>.parquet,
#         <results>/examples/<dataset>/<selector>.parquet.   Needs: no network; a GPU helps.


rule embed_items:
    """The embeddings of a dataset's items by a sentence encoder."""
    input:
        dataset=plan.items("{dataset}"),
        encoder=plan.model("{model}"),
    output:
        recorded(plan.path("embeddings", "{dataset}", "{model}.parquet")),
    log:
        "logs/embed_items/{dataset}/{model}.log",
    benchmark:
        plan.path("benchmarks", "embed_items", "{dataset}", "{model}.tsv")
    conda:
        SCRIPT_ENV
    threads: plan.config.threads
    params:
        job={},
        code=plan.code("embed_items.py"),
    script:
        "../scripts/embed_items.py"


rule choose_examples:
    """In-context examples for every judged item, from the training split."""
    input:
        dataset=plan.items("{dataset}"),
        embeddings=lambda w: plan.embeddings(w.dataset, w.selector),
    output:
        recorded(plan.path("examples", "{dataset}", "{selector}.parquet")),
    log:
        "logs/choose_examples/{dataset}/{selector}.log",
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: {
            **plan.examples_job(w.dataset, w.selector),
            "plugins": [method_module(w)],
        },
        code=lambda w: plan.code("choose_examples.py", method_module(w)),
    script:
        "../scripts/choose_examples.py"
