# Stage: tuning.   Reads: items, human ratings, the base judge's model.
# Writes: <results>/training/<training set>.parquet,
#         <results>/adapters/<tuning>/: peft's files, adapter.json and training.parquet.
# Needs: no network; a GPU for the papers' judges. Checkpoints lie in <results>/work.


rule draw_training_set:
    """Items of the training split with people's labels, for judges to learn from."""
    input:
        unpack(lambda w: plan.training_datasets(w.training_set)),
    output:
        recorded(plan.training_set("{training_set}")),
    log:
        "logs/draw_training_set/{training_set}.log",
    wildcard_constraints:
        training_set=any_of(plan.config.training_sets),
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: plan.training_set_job(w.training_set),
        code=plan.code("draw_training_set.py"),
    script:
        "../scripts/draw_training_set.py"


rule tune_judge:
    """A LoRA adapter that learned people's labels; resumes from its last checkpoint."""
    input:
        training_set=lambda w: plan.training_set(plan.config.tunings[w.tuning].training_set),
        datasets=lambda w: plan.training_datasets(plan.config.tunings[w.tuning].training_set)[
            "datasets"
        ],
        model=lambda w: plan.model(plan.config.tunings[w.tuning].judge),
    output:
        recorded(plan.adapter("{tuning}", "adapter_config.json")),
        recorded(plan.adapter("{tuning}", "adapter_model.safetensors")),
        recorded(plan.adapter("{tuning}", "adapter.json")),
        recorded(plan.adapter("{tuning}", "training.parquet")),
    log:
        "logs/tune_judge/{tuning}.log",
    benchmark:
        plan.path("benchmarks", "tune_judge", "{tuning}.tsv")
    wildcard_constraints:
        tuning=any_of(plan.config.tunings),
    conda:
        SCRIPT_ENV
    threads: plan.config.threads
    resources:
        gpu=lambda w: plan.config.tunings[w.tuning].gpus,
        mem_mb=lambda w, attempt: plan.tuned(w.tuning)[1].resources.memory_gb * 1000 * attempt,
        runtime=lambda w, attempt: plan.config.tunings[w.tuning].minutes * attempt,
    params:
        job=lambda w: plan.tuning_job(w.tuning, templates),
        code=plan.code("tune_judge.py"),
    script:
        "../scripts/tune_judge.py"
