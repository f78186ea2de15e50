# Stage: figures.   Reads: cells of tables; ratings, items and links where a table has no cell.
# Writes: <results>/figures/<study>_<figure>.png and the .parquet of the points that it draws.
# Needs: neither network nor GPU.


rule draw_figure:
    """A figure, and the points that it draws."""
    input:
        unpack(lambda w: plan.figure_inputs(w.figure)),
    output:
        points=recorded(plan.path("figures", "{figure}.parquet")),
        png=recorded(plan.path("figures", "{figure}.png")),
    log:
        "logs/draw_figure/{figure}.log",
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: {**plan.figure_job(w.figure), "plugins": [figure_module(w)]},
        code=lambda w: plan.code("draw_figure.py", figure_module(w)),
    script:
        "../scripts/draw_figure.py"
