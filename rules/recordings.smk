# Stage: judging, for judges that can't be asked any more.   Reads: released answers.
# Writes: the same items, prompts and answers files as for a live judge, and
#         <results>/links/<family>.parquet where an order can be inferred from texts.
# Needs: neither network nor GPU.


for recording, recording_spec in plan.recordings(plan.config.judges).items():

    rule:
        name:
            f"read_recording_{recording}"
        input:
            plan.recorded_files(recording),
        output:
            stories=recorded(plan.items(recording_spec.family)),
            prompts=recorded(plan.path("prompts", recording_spec.family, "recorded.parquet")),
            answers=recorded(
                plan.path("answers", recording, recording_spec.family, "recorded.parquet")
            ),
        log:
            f"logs/read_recording/{recording}.log",
        localrule: True
        conda:
            SCRIPT_ENV
        params:
            job=plan.recording_job(recording),
            code=plan.code("read_recording.py"),
        script:
            "../scripts/read_recording.py"


rule story_order:
    """Which released story each recorded one is, inferred from the texts of the answers."""
    input:
        recorded=plan.items("{dataset}"),
        prompts=plan.path("prompts", "{dataset}", "recorded.parquet"),
        answers=lambda w: plan.family_answers(w.dataset),
        released=lambda w: plan.items(plan.family_released(w.dataset)),
    output:
        recorded(plan.path("links", "{dataset}.parquet")),
    log:
        "logs/story_order/{dataset}.log",
    wildcard_constraints:
        dataset=any_of(plan.families()),
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job={},
        code=plan.code("story_order.py"),
    script:
        "../scripts/story_order.py"
