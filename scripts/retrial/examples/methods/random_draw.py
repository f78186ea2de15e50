"""Random examples: each replicate draws the same examples for all items (jia2024, Table 2).

Shared examples let a judge compute the beginning of its prompts once per replicate.
"""

import numpy as np

from retrial.errors import RetrialError
from retrial.examples.base import Choices, Documents, SelectorSpec
from retrial.items.split import shuffled


def choose(pool: Documents, queries: Documents, spec: SelectorSpec) -> Choices:
    """`spec.count` documents a replicate, none of them a copy of any query; no scores.

    The draw is decided by the seed, the dataset, the replicate and the documents' ids, in the
    order of a keyed digest: without replacement within a replicate, and independent between
    replicates. A changed training item changes only the draws that hold it, or that it enters.
    """
    copied = set(queries.folded)
    free = {pool.ids[i]: i for i, folded in enumerate(pool.folded) if folded not in copied}
    if len(free) < spec.count:
        raise RetrialError(
            f"examples: selector {spec.id} wants {spec.count} and dataset {pool.dataset} has "
            f"{len(free)} training items that are no copies of judged ones; ask for fewer"
        )
    drawn = [
        shuffled(list(free), "random-draw", spec.seed, pool.dataset, replicate)[: spec.count]
        for replicate in range(spec.replicates)
    ]
    indices = np.array([[free[item_id] for item_id in ids] for ids in drawn], dtype=np.int64)
    shape = (spec.replicates, len(queries.ids), spec.count)
    return Choices(np.broadcast_to(indices[:, None, :], shape))
