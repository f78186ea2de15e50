"""The jobs that make items and choose examples."""

from collections.abc import Iterable
from typing import Any

from retrial.plan.paths import Paths, leaves


class Data(Paths):
    """Items, embeddings and in-context examples."""

    def dataset_sources(self, dataset: str) -> list[str]:
        """The downloads, or your own files, that a dataset is read from.

        Behind them the exports of rating forms, and the templates that these forms ask by.
        """
        spec = self.config.datasets[dataset]
        asked = [t for f, form in self.config.forms.items() if form.dataset == dataset
                 for t in self.form_templates(f)]  # fmt: skip
        templates = dict.fromkeys(asked) if spec.exports else ()
        return [*self._read_from(dataset), *spec.exports, *templates]

    def _read_from(self, dataset: str) -> list[str]:
        spec = self.config.datasets[dataset]
        if spec.paths:
            return spec.paths
        if spec.generator:
            return [self.stories(spec.generator)]
        return [self.raw(spec.source, f) for f in spec.files] if spec.source else []

    def form_templates(self, form: str) -> list[str]:
        """The templates of a rating form's questions."""
        return [self.template_file(name) for name in self.config.forms[form].templates]

    def form_targets(self, forms: Iterable[str]) -> list[str]:
        """Every file of these rating forms."""
        return [
            self.path("forms", form, f"{number}.html")
            for form in forms
            for number in range(1, self.config.forms[form].files + 1)
        ]

    def form_job(self, form: str, number: int) -> dict[str, Any]:
        """Parameters of write_forms."""
        spec = self.config.forms[form]
        judged = self.config.datasets[spec.dataset].judged
        return {
            "form": form,
            "number": number,
            "label": spec.label,
            "spec": leaves(spec, "label", "files"),
            "judged": leaves(judged) if judged else None,
            "folder": self.config.prompts,
        }

    def items_job(self, dataset: str) -> dict[str, Any]:
        """Parameters of build_items."""
        spec = self.config.datasets[dataset]
        return {"dataset": dataset, "spec": leaves(spec, "label", "judged", "generator")}

    def selectors(self, experiment: str) -> dict[str, str]:
        """The selector of each condition of an experiment that has one."""
        conditions = self.config.experiments[experiment].conditions
        found = {c: self.config.conditions[c].selector for c in conditions}
        return {c: s for c, s in found.items() if s}

    def example_files(self, dataset: str, experiment: str) -> list[str]:
        """The chosen examples that an experiment's prompts need."""
        names = self.selectors(experiment).values()
        return [self.path("examples", dataset, f"{n}.parquet") for n in dict.fromkeys(names)]

    def embeddings(self, dataset: str, selector: str) -> list[str]:
        """The embeddings that a selector compares by, if it does."""
        encoder = self.config.selectors[selector].encoder
        return [self.path("embeddings", dataset, f"{encoder}.parquet")] if encoder else []

    def is_shared(self, selector: str) -> bool:
        """Whether all items of a replicate get the same examples."""
        return self.config.selectors[selector].method == "random-draw"

    def examples_job(self, dataset: str, selector: str) -> dict[str, Any]:
        """Parameters of choose_examples."""
        spec = self.config.selectors[selector]
        judged = self.config.datasets[dataset].judged
        return {
            "dataset": dataset,
            "selector": selector,
            "spec": leaves(spec),
            "judged": leaves(judged) if judged else None,
        }
