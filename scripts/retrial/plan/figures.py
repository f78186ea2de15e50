"""The jobs that draw figures."""

from typing import Any

from retrial.plan.paths import RECORDED, leaves
from retrial.plan.tables import Tables


class Figures(Tables):
    """What each figure is drawn from."""

    def figure_inputs(self, figure: str) -> dict[str, list[str]]:
        """The cells that a figure reads, and the ratings and links where it reads those."""
        spec = self.config.figures[figure]
        asked = self.recordings(spec.judges)
        files = [self.ratings(j, r.family, RECORDED) for j, r in asked.items()]
        files += [self.items(r.family) for r in asked.values()]
        files += [self.path("links", f"{r.family}.parquet") for r in asked.values() if r.released]
        for dataset in spec.datasets:
            files += [self.items(dataset), self.human(dataset)]
        files += [self.template_file(self.config.conditions[c].template) for c in spec.conditions]
        files += [self.training_set(name) for name in spec.training_sets]
        files += [self.adapter(name, "training.parquet") for name in spec.tunings]
        files += [self.generator(name, "training.parquet") for name in spec.generators]
        return {
            "tables": [self.path("tables", f"{t}.parquet") for t in spec.tables],
            "files": list(dict.fromkeys(files)),
        }

    def figure_job(self, figure: str) -> dict[str, Any]:
        """Parameters of draw_figure."""
        spec = self.config.figures[figure]
        recorded = self.recordings(spec.judges)
        return {
            "figure": figure,
            "spec": leaves(spec),
            "judges": {j: self.config.judges[j].label for j in spec.judges},
            "parameters_billion": self.sizes(spec.judges),
            "conditions": {
                c: self.config.conditions[c].model_dump(mode="json") for c in spec.conditions
            },
            "folder": self.config.prompts,
            "training_sets": {n: self.config.training_sets[n].label for n in spec.training_sets},
            "recordings": {
                j: {"family": r.family, "released": r.released} for j, r in recorded.items()
            },
        }
