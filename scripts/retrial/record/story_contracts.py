"""The Parquet contracts of the stories stage."""

import pyarrow as pa

from retrial.record.contracts import CONTRACTS, COUNT, COUNTS, NUMBER, TEXT, Contract, Field

STORY_PAIRS = Contract(
    "story_pairs",
    1,
    ("split", "source", "source_line"),
    (
        Field("split", TEXT, "train, valid or test"),
        Field("prompt", TEXT, "what the story answers, verbatim"),
        Field("story", TEXT, "a person's story, verbatim"),
        Field("source", TEXT, "<source>/<file> it was read from; of an archive, with the member"),
        Field("source_line", COUNT, "line of the story, or of its row in a CSV file, from 1"),
    ),
)

STORIES = Contract(
    "stories",
    1,
    ("story_id",),
    (
        Field("story_id", TEXT, "digest of writer, generator, prompt, text and source"),
        Field("generator", TEXT, "id of the generator whose test prompts these are"),
        Field("prompt_id", TEXT, "digest of the prompt and its place; joins both writers' stories"),
        Field("writer", TEXT, "human or generated"),
        Field("prompt", TEXT, "the prompt, cleaned"),
        Field("text_raw", TEXT, "the story as its writer left it"),
        Field("text_cleaned", TEXT, "the story after the cleaning rules"),
        Field("text", TEXT, "the cleaned story, trimmed: what judges read"),
        Field("words", COUNT, "words of the trimmed text, as the trimming counts them"),
        Field("flags", pa.list_(TEXT), "what trimming could not do, sorted"),
        Field("edits", TEXT, "each cleaning of the story in order, as canonical JSON"),
        Field("prompt_edits", TEXT, "the same of the prompt"),
        Field("source", TEXT, "where prompt and human story were read"),
        Field("source_line", COUNT, "their line or ordinal there, from 1"),
        Field("model_digest", TEXT, "the generator's files; null for people", nullable=True),
        Field("seed", TEXT, "what the draw was seeded with, in hexadecimal", nullable=True),
        Field("tries", COUNT, "draws until one was kept; 0 for people"),
        Field("rejected", COUNTS, "draws that were not kept, by reason"),
        Field("tokens", COUNT, "tokens of a generated story; -1 for people"),
        Field("finish_reason", TEXT, "stop or length; empty for people"),
    ),
)

GENERATOR_LOG = Contract(
    "generator_log",
    1,
    ("generator", "step", "split"),
    (
        Field("generator", TEXT, "id of the generator in config.yaml"),
        Field("step", COUNT, "optimiser steps done; 0 is the model before training"),
        Field("epoch", NUMBER, "passes over the training stories done"),
        Field("split", TEXT, "train (since the row before) or valid (all of it)"),
        Field("loss", NUMBER, "mean negative log-likelihood of a story token, in nats"),
        Field("perplexity", NUMBER, "exp(loss)"),
        Field("rate", NUMBER, "learning rate of the last step"),
        Field("tokens", COUNT, "story tokens behind the loss"),
        Field("seconds", NUMBER, "time that it took"),
    ),
)

CONTRACTS.update({c.name: c for c in (STORY_PAIRS, STORIES, GENERATOR_LOG)})
