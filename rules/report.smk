# Stage: report.   Reads: tables, figures, and the ratings, answers, prompts and items behind them.
# Writes: <results>/report/ (index.html opens from disk), listed in files.json by sha256.
# Needs: neither network nor GPU.
from retrial.report.inputs import report_inputs, report_job


rule report:
    """The static site: every number beside the printed one, linked to what lies behind it."""
    input:
        unpack(lambda w: report_inputs(plan)),
    output:
        index=recorded(plan.path("report", "index.html")),
        listing=recorded(plan.path("report", "files.json")),
    log:
        "logs/build_report.log",
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: report_job(plan),
        code=lambda w: plan.code("build_report.py", *report_job(plan)["plugins"]),
    script:
        "../scripts/build_report.py"
