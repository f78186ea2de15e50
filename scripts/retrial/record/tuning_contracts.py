"""The Parquet contracts of the tuning stage."""

from retrial.record.contracts import CONTRACTS, COUNT, NUMBER, TEXT, Contract, Field

TRAINING_SETS = Contract(
    "training_sets",
    1,
    ("set", "item_id"),
    (
        Field("set", TEXT, "id of the training set in config.yaml"),
        Field("item_id", TEXT, "an item of the training split"),
        Field("dataset", TEXT, "the dataset of the item"),
        Field("label", NUMBER, "mean of people's ratings"),
        Field("likert", COUNT, "the mean, rounded half up"),
        Field("binary", COUNT, "0: a defect by the label rule and threshold; 1: none"),
        Field("order", COUNT, "place in the draw, from 0"),
        Field("draw", TEXT, "all, random or near-test; near-test has looked at test labels"),
    ),
)

TRAINING_LOG = Contract(
    "training_log",
    1,
    ("tuning", "step", "split"),
    (
        Field("tuning", TEXT, "id of the tuning in config.yaml"),
        Field("step", COUNT, "optimiser steps done; 0 is the model before tuning"),
        Field("epoch", NUMBER, "passes over the training items done"),
        Field("split", TEXT, "train (the items of this step) or held-out (all of them)"),
        Field("loss", NUMBER, "mean negative log-likelihood of a rating token, in nats"),
        Field("rate", NUMBER, "learning rate of the step; 0 before the first"),
        Field("tokens", COUNT, "tokens that the model read for it, padding not counted"),
        Field("seconds", NUMBER, "time that it took"),
        Field("tokens_per_second", NUMBER, "tokens / seconds"),
    ),
)

CONTRACTS.update({c.name: c for c in (TRAINING_SETS, TRAINING_LOG)})
