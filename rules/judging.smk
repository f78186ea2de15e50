# Stage: judging.   Reads: items, human ratings (labels of examples), examples, models.
# Writes: <results>/prompts/<dataset>/<experiment>.parquet,
#         <results>/answers/<judge>/<dataset>/<experiment>.parquet, and the answer store.
# Needs: no network; a GPU for the papers' judges.


rule build_prompts:
    """Every question of an experiment about a dataset, structured, not yet rendered."""
    input:
        dataset=plan.items("{dataset}"),
        human=plan.human("{dataset}"),
        examples=lambda w: plan.example_files(w.dataset, w.experiment),
    output:
        recorded(plan.path("prompts", "{dataset}", "{experiment}.parquet")),
    log:
        "logs/build_prompts/{dataset}/{experiment}.log",
    wildcard_constraints:
        dataset=any_of(plan.config.datasets),
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: plan.prompts_job(w.dataset, w.experiment, templates),
        code=plan.code("build_prompts.py"),
    script:
        "../scripts/build_prompts.py"


rule ask_judge:
    """A judge's answers to every prompt of an experiment; resumes from the answer store."""
    input:
        prompts=plan.path("prompts", "{dataset}", "{experiment}.parquet"),
        model=lambda w: plan.judge_model(w.judge),
        adapter=lambda w: plan.judge_adapter(plan.config.judges[w.judge]),
    output:
        recorded(plan.path("answers", "{judge}", "{dataset}", "{experiment}.parquet")),
    log:
        "logs/ask_judge/{judge}/{dataset}/{experiment}.log",
    benchmark:
        plan.path("benchmarks", "ask_judge", "{judge}", "{dataset}", "{experiment}.tsv")
    wildcard_constraints:
        judge=any_of(plan.live_judges()),
    conda:
        SCRIPT_ENV
    threads: plan.config.threads
    resources:
        gpu=lambda w: plan.config.judges[w.judge].resources.gpus,
        mem_mb=lambda w, attempt: judge_memory(w) * attempt,
        runtime=lambda w, attempt: plan.config.judges[w.judge].resources.minutes * attempt,
    params:
        job=lambda w: {**plan.judging_job(w.judge, w.experiment), "plugins": [backend_module(w)]},
        code=lambda w: plan.code("ask_judge.py", backend_module(w)),
    script:
        "../scripts/ask_judge.py"
