"""The jobs that read story pairs, train generators and write stories."""

from typing import Any

from retrial.plan.data import Data
from retrial.plan.paths import leaves

STORY_READERS = "retrial.stories.readers"


class Stories(Data):
    """Story sets, generators and their stories."""

    def story_sources(self, story_set: str) -> list[str]:
        """The downloads, or your own files, that a story set is read from."""
        spec = self.config.story_sets[story_set]
        if spec.paths:
            return spec.paths
        return [self.raw(spec.source, f) for f in spec.files] if spec.source else []

    def story_pairs(self, story_set: str) -> str:
        """The prompts and people's stories of a set."""
        return self.path("stories", "pairs", f"{story_set}.parquet")

    def generator(self, name: str, file: str) -> str:
        """A file of a trained generator: its lock generator.json, or its training log."""
        return self.path("generators", name, file)

    # Parameters of the jobs.

    def story_pairs_job(self, story_set: str) -> dict[str, Any]:
        """Parameters of read_story_pairs."""
        spec = self.config.story_sets[story_set]
        return {"story_set": story_set, "spec": leaves(spec, "label")}

    def training_job(self, generator: str) -> dict[str, Any]:
        """Parameters of train_generator."""
        spec = self.config.generators[generator]
        return {
            "generator": generator,
            "learning": leaves(spec.learning),
            "work": self.path("work"),
        }

    def stories_job(self, generator: str) -> dict[str, Any]:
        """Parameters of write_stories."""
        spec = self.config.generators[generator]
        learned = {"clean", "separator", "prompt_tokens", "max_tokens"}
        learning = {k: v for k, v in leaves(spec.learning).items() if k in learned}
        return {"generator": generator, "learning": learning, "drawing": leaves(spec.drawing)}
