"""What happens at which optimiser step: order of items, learning rate, random numbers.

All of it is a function of the step, so that a resumed tuning repeats an undisturbed one.
"""

from dataclasses import dataclass
from math import ceil
from typing import Protocol

import numpy as np

from retrial.digest import content_id


class Pace(Protocol):
    """The part of a training's configuration that a schedule reads."""

    @property
    def batch(self) -> int:
        """Items of an optimiser step."""
        ...

    @property
    def epochs(self) -> int:
        """Passes over the items."""
        ...

    @property
    def rate(self) -> float:
        """The highest learning rate."""
        ...

    @property
    def warmup(self) -> float:
        """Share of the steps over which the rate rises."""
        ...

    @property
    def seed(self) -> int:
        """What the order of the items and dropout are seeded with."""
        ...


@dataclass(frozen=True)
class Schedule:
    """The steps of a tuning on so many items; steps count from 0."""

    spec: Pace
    items: int

    @property
    def per_epoch(self) -> int:
        """Steps of an epoch; the last may have fewer items."""
        return ceil(self.items / self.spec.batch)

    @property
    def steps(self) -> int:
        """All steps."""
        return self.per_epoch * self.spec.epochs

    def rows(self, step: int) -> list[int]:
        """The items of a step: every epoch sees each once, in an order of its own."""
        epoch, place = divmod(step, self.per_epoch)
        order = np.random.default_rng([self.spec.seed, epoch]).permutation(self.items)
        return [int(i) for i in order[place * self.spec.batch : (place + 1) * self.spec.batch]]

    def rate(self, step: int) -> float:
        """The learning rate: rises in a line over the warm-up, falls in a line to nearly 0."""
        warm = ceil(self.steps * self.spec.warmup)
        if step < warm:
            return self.spec.rate * (step + 1) / (warm + 1)
        return self.spec.rate * (self.steps - step) / (self.steps - warm)

    def seed(self, step: int) -> int:
        """What the step's random numbers (dropout) are seeded with."""
        return int(content_id(["tuning", self.spec.seed, step])[:15], 16)

    def ends_epoch(self, step: int) -> bool:
        """Whether an epoch is done after this step."""
        return (step + 1) % self.per_epoch == 0
