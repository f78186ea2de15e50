"""The jobs that prepare models, ask judges and rate their answers."""

from collections.abc import Iterable, Mapping
from typing import Any

from retrial.config import HubModel, OpenAIJudge, PackagedModel, RecordingJudge
from retrial.plan.paths import RECORDED, leaves
from retrial.plan.tuning import Tunings


class Judging(Tunings):
    """Models, prompts, answers, ratings, and the recordings of retired judges."""

    def recordings(self, names: Iterable[str]) -> dict[str, RecordingJudge]:
        """Those of the judges that are recordings."""
        judges = {name: self.config.judges[name] for name in names}
        return {n: j for n, j in judges.items() if isinstance(j, RecordingJudge)}

    def live_judges(self) -> list[str]:
        """The judges that can be asked."""
        return [n for n in self.config.judges if not self.recordings([n])]

    def families(self) -> list[str]:
        """The families of all recordings: each is a dataset of its own."""
        return list(dict.fromkeys(r.family for r in self.recordings(self.config.judges).values()))

    def family_answers(self, family: str) -> list[str]:
        """The answers of all recordings of a family."""
        judges = [n for n, r in self.recordings(self.config.judges).items() if r.family == family]
        return [self.path("answers", n, family, f"{RECORDED}.parquet") for n in judges]

    def family_released(self, family: str) -> str:
        """The dataset that a family's order is inferred against."""
        recorded = self.recordings(self.config.judges).values()
        return next(r.released for r in recorded if r.family == family and r.released)

    def recorded_files(self, judge: str) -> list[str]:
        """The downloads that a recording is read from."""
        spec = self.recordings([judge])[judge]
        return [self.raw(spec.source, f.file) for f in spec.files]

    def judge_model(self, judge: str) -> list[str]:
        """The lock of a judge's model; none for a judge behind a server."""
        served = isinstance(self.config.judges[judge], OpenAIJudge)
        return [] if served else [self.model(judge)]

    def template_names(self) -> list[str]:
        """Every template that a live judge is asked or tuned with."""
        asked = [c.template for c in self.config.conditions.values() if c.method != "recording"]
        return list(dict.fromkeys([*asked, *(t.template for t in self.config.tunings.values())]))

    def model_job(self, name: str) -> dict[str, Any]:
        """Parameters of prepare_model, for a judge, an encoder or a generator."""
        catalogues = (self.config.judges, self.config.encoders, self.config.generators)
        specs: list[Any] = [c[name] for c in catalogues if name in c]
        source = getattr(specs[0], "source", None)
        assert isinstance(source, PackagedModel | HubModel), f"{name} has no model to prepare"
        return {"source": leaves(source), "cache": self.config.models}

    def prompts_job(
        self, dataset: str, experiment: str, templates: Mapping[str, str]
    ) -> dict[str, Any]:
        """Parameters of build_prompts; `templates` maps template ids to their digests."""
        spec = self.config.experiments[experiment]
        judged = self.config.datasets[dataset].judged
        used = {c: self.config.conditions[c] for c in spec.conditions}
        return {
            "attributes": spec.attributes,
            "conditions": {c: leaves(v, "label") for c, v in used.items()},
            "shared": [c for c, s in self.selectors(experiment).items() if self.is_shared(s)],
            "templates": {v.template: templates[v.template] for v in used.values()},
            "folder": self.config.prompts,
            "judged": leaves(judged) if judged else None,
        }

    def judging_job(self, judge: str, experiment: str) -> dict[str, Any]:
        """Parameters of ask_judge."""
        spec = self.config.judges[judge]
        assert not isinstance(spec, RecordingJudge), f"{judge} is a recording: nobody can ask it"
        conditions = self.config.experiments[experiment].conditions
        asked = leaves(spec, "label", "note", "parameters_billion", "resources")
        return {
            "judge": judge,
            "spec": asked,
            "conditions": {c: self.asking(c) for c in conditions},
            "folder": self.config.prompts,
            "chunk": self.config.chunk,
            "store": self.store(judge),
        }

    def asking(self, condition: str) -> dict[str, Any]:
        """How a judge is asked under a condition: the method, and the sampling of texts."""
        spec = self.config.conditions[condition]
        sampling = leaves(spec.sampling) if spec.sampling else None
        return {"method": spec.method, "sampling": sampling}

    def parsers(self) -> list[str]:
        """The parsers that read every text answer: the configured, the published, the robust."""
        return list(dict.fromkeys([self.config.scoring.parser, "chiang2023", "robust"]))

    def rating_job(self, experiment: str, forms: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Parameters of rate_answers; `forms` maps template ids to the form of their answers."""
        scoring = self.config.scoring
        asked = self.config.experiments.get(experiment)
        used = {self.config.conditions[c].template for c in asked.conditions} if asked else set()
        return {
            "parsers": self.parsers(),
            "top_k": scoring.top_k,
            "low_mass": scoring.low_mass,
            "forms": {name: dict(form) for name, form in sorted(forms.items()) if name in used},
        }

    def recording_job(self, judge: str) -> dict[str, Any]:
        """Parameters of read_recording."""
        spec = self.recordings([judge])[judge]
        return {"judge": judge, "spec": leaves(spec, "label", "note", "released")}
