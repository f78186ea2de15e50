# Stage: scoring.   Reads: prompts and answers.
# Writes: <results>/ratings/<judge>/<dataset>/<experiment>.parquet.   Needs: neither network nor GPU.
parser_modules = [plugin_module(PARSERS, parser) for parser in plan.parsers()]


rule rate_answers:
    """Every reading of every answer, with a reason wherever there is no rating."""
    input:
        prompts=plan.path("prompts", "{dataset}", "{experiment}.parquet"),
        answers=plan.path("answers", "{judge}", "{dataset}", "{experiment}.parquet"),
    output:
        recorded(plan.ratings("{judge}", "{dataset}", "{experiment}")),
    log:
        "logs/rate_answers/{judge}/{dataset}/{experiment}.log",
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: {
            **plan.rating_job(w.experiment, answer_forms),
            "plugins": parser_modules,
        },
        code=plan.code("rate_answers.py", *parser_modules),
    script:
        "../scripts/rate_answers.py"
