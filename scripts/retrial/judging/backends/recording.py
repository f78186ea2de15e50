"""A recording as a judge: its items, prompts and answers, from all of its files."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from retrial.config import RecordingJudge
from retrial.judging.recordings.chiang2023 import read_answers


def read_recording(
    judge: str, spec: RecordingJudge, paths: Sequence[Path]
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Items, prompts and answers tables. The files of a family hold the same items in order.

    Raises RetrialError for a file of another structure.
    """
    read = [
        read_answers(
            path,
            judge=judge,
            condition=file.condition,
            family=spec.family,
            model=spec.model,
            source=spec.source,
        )
        for path, file in zip(paths, spec.files, strict=True)
    ]
    prompts = pa.concat_tables([r.prompts for r in read])
    return read[0].items, prompts, pa.concat_tables([r.answers for r in read])
