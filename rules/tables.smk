# Stage: tables.   Reads: ratings of judges and people, items, data/published.
# Writes: <results>/tables/<study>_<table>.parquet (the cells), .csv, .html and .png.
# Needs: neither network nor GPU.


rule build_table:
    """The cells of a table, each with its selection, interval, print and verdict."""
    input:
        unpack(lambda w: plan.table_datasets(w.table)),
        unpack(lambda w: plan.table_links(w.table)),
        ratings=lambda w: plan.table_ratings(w.table),
        answers=lambda w: plan.table_answers(w.table),
        published=lambda w: plan.published_file(w.table),
    output:
        recorded(plan.path("tables", "{table}.parquet")),
    log:
        "logs/build_table/{table}.log",
    wildcard_constraints:
        table=any_of(set(plan.config.tables) - set(plan.consistency_tables())),
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: {**plan.table_job(w.table), "plugins": [table_module(w)]},
        code=lambda w: plan.code("build_table.py", table_module(w)),
    script:
        "../scripts/build_table.py"


rule check_consistency:
    """A paper's printed values checked by arithmetic, as cells of text and verdict."""
    input:
        unpack(lambda w: plan.consistency_inputs(w.table)),
    output:
        recorded(plan.path("tables", "{table}.parquet")),
    log:
        "logs/check_consistency/{table}.log",
    wildcard_constraints:
        table=any_of(plan.consistency_tables()),
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: {"table": w.table, "plugins": [table_module(w)]},
        code=lambda w: plan.code("check_consistency.py", table_module(w)),
    script:
        "../scripts/check_consistency.py"


rule render_table:
    """A table to read: CSV, HTML and PNG."""
    input:
        plan.path("tables", "{table}.parquet"),
    output:
        csv=recorded(plan.path("tables", "{table}.csv")),
        html=recorded(plan.path("tables", "{table}.html")),
        png=recorded(plan.path("tables", "{table}.png")),
    log:
        "logs/render_table/{table}.log",
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: plan.rendering_job(w.table),
        code=lambda w: plan.code("render_table.py", table_module(w)),
    script:
        "../scripts/render_table.py"
