# Stage: forms.   Reads: items, prompt templates.
# Writes: <results>/forms/<form>/<number>.html, one file for a rater's browser.
# Needs: neither network nor GPU. The exports come back in through `datasets.<id>.exports`.


rule write_forms:
    """A rating form: drawn items and their questions, in the words that judges get."""
    input:
        dataset=lambda w: plan.items(plan.config.forms[w.form].dataset),
        templates=lambda w: plan.form_templates(w.form),
    output:
        recorded(plan.path("forms", "{form}", "{number}.html")),
    log:
        "logs/write_forms/{form}/{number}.log",
    wildcard_constraints:
        form=any_of(plan.config.forms),
        number="[1-9][0-9]*",
    localrule: True
    conda:
        SCRIPT_ENV
    params:
        job=lambda w: plan.form_job(w.form, int(w.number)),
        code=plan.code("write_forms.py"),
    script:
        "../scripts/write_forms.py"
