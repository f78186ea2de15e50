# Retrial: two studies of language models as judges of text, re-run and put on the record.
#   snakemake --profile profiles/demo       a small whole run, on a laptop
#   snakemake --profile profiles/laptop     real USS dialogues, a small packaged judge
#   snakemake results/tables/jia2024_table2.parquet      one table
from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


include: "rules/common.smk"
include: "rules/sources.smk"
include: "rules/items.smk"
include: "rules/models.smk"
include: "rules/examples.smk"
include: "rules/stories.smk"
include: "rules/tuning.smk"
include: "rules/judging.smk"
include: "rules/recordings.smk"
include: "rules/scoring.smk"
include: "rules/tables.smk"
include: "rules/figures.smk"
include: "rules/forms.smk"
include: "rules/report.smk"
include: "rules/audit.smk"


rule all:
    """Every table that the config lists under `make`, every figure under `draw`."""
    default_target: True
    input:
        plan.table_targets(plan.config.make),
        plan.figure_targets(plan.config.draw),


rule forms:
    """Every rating form of the config."""
    input:
        plan.form_targets(plan.config.forms),


localrules:
    all,
    forms,
