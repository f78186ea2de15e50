# Stage: stories.   Reads: downloads of prompts with people's stories, a base model.
# Writes: <results>/stories/pairs/<story set>.parquet,
#         <results>/generators/<generator>/generator.json (beside the weights) and training.parquet,
#         <results>/stories/<generator>.parquet.   Needs: no network; a GPU for gpt2-medium.


rule read_story_pairs:
    """Prompts and people's stories as their source has them, streamed from its archive."""
    input:
        lambda w: plan.story_sources(w.story_set),
    output:
        recorded(plan.story_pairs("{story_set}")),
    log:
        "logs/read_story_pairs/{story_set}.log",
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: {**plan.story_pairs_job(w.story_set), "plugins": [story_reader_module(w)]},
        code=lambda w: plan.code("read_story_pairs.py", story_reader_module(w)),
    script:
        "../scripts/read_story_pairs.py"


rule train_generator:
    """A language model fine-tuned to write a story on a prompt; resumes from its checkpoint."""
    input:
        model=plan.model("{generator}"),
        pairs=lambda w: plan.story_pairs(plan.config.generators[w.generator].story_set),
    output:
        recorded(plan.generator("{generator}", "generator.json")),
        recorded(plan.generator("{generator}", "training.parquet")),
    log:
        "logs/train_generator/{generator}.log",
    benchmark:
        plan.path("benchmarks", "train_generator", "{generator}.tsv")
    conda:
        SCRIPT_ENV
    threads: plan.config.threads
    resources:
        gpu=lambda w: plan.config.generators[w.generator].resources.gpus,
        mem_mb=lambda w, attempt: generator_memory(w) * attempt,
        runtime=lambda w, attempt: plan.config.generators[w.generator].resources.minutes * attempt,
    params:
        job=lambda w: plan.training_job(w.generator),
        code=plan.code("train_generator.py"),
    script:
        "../scripts/train_generator.py"


rule write_stories:
    """A generator's stories on test prompts, and people's on the same, cleaned and trimmed."""
    input:
        generator=plan.generator("{generator}", "generator.json"),
        pairs=lambda w: plan.story_pairs(plan.config.generators[w.generator].story_set),
    output:
        recorded(plan.stories("{generator}")),
    log:
        "logs/write_stories/{generator}.log",
    benchmark:
        plan.path("benchmarks", "write_stories", "{generator}.tsv")
    conda:
        SCRIPT_ENV
    threads: plan.config.threads
    resources:
        gpu=lambda w: plan.config.generators[w.generator].resources.gpus,
        mem_mb=lambda w, attempt: generator_memory(w) * attempt,
        runtime=lambda w, attempt: plan.config.generators[w.generator].resources.minutes * attempt,
    params:
        job=lambda w: plan.stories_job(w.generator),
        code=plan.code("write_stories.py"),
    script:
        "../scripts/write_stories.py"
