"""Makes writingPrompts.tar.gz from stories.yaml: the native form of WritingPrompts, in small.

    python data/sample/make_stories.py

The texts are split into tokens as the original's are: blanks before punctuation, `n't` and `'s`
apart, two backticks and two apostrophes for quotation marks, `<newline>` for a line's end. The
archive holds no times and no owners, so that the same texts make the same archive.
"""

import gzip
import io
import re
import tarfile
from pathlib import Path

import yaml

HERE = Path(__file__).parent
ARCHIVE = "writingPrompts.tar.gz"
ABBREVIATIONS = r"(?<!\bMs)(?<!\bMrs)(?<!\bDr)(?<!\bNo)(?<!\b[ap]\.m)(?<!\b[A-Z])"


def tokenised(text: str) -> str:
    """A text as WritingPrompts has it."""
    steps = (
        (r'(^|(?<=[\s(]))"', "`` "),
        (r'"', " ''"),
        (r"n't\b", " n't"),
        (r"(?<=\w)('(?:s|m|d|re|ve|ll)\b)", r" \1"),
        (r"\(", "( "),
        (r"\)", " )"),
        (rf"(?<=[^\s.]){ABBREVIATIONS}\.(?=\s|$)", " ."),
        (r"(?<=\S)([,;:!?])(?=\s|$)", r" \1"),
        (r"\n", " <newline> "),
        (r"  +", " "),
    )
    for pattern, replacement in steps:
        text = re.sub(pattern, replacement, text)
    return text.strip()


def members(splits: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    """The text of each file in the archive, by name."""
    files = {}
    for split, pairs in splits.items():
        prompts = [f"[ {pair['tag']} ] {tokenised(pair['prompt'])}\n" for pair in pairs]
        stories = [f"{tokenised(pair['story'])}\n" for pair in pairs]
        files[f"writingPrompts/{split}.wp_source"] = "".join(prompts)
        files[f"writingPrompts/{split}.wp_target"] = "".join(stories)
    files["writingPrompts/README"] = "Prompts and stories of the project's own; see stories.md.\n"
    return files


def archive(files: dict[str, str]) -> bytes:
    """The gzipped tar archive of the files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, text in sorted(files.items()):
            data = text.encode("utf-8")
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), compresslevel=9, mtime=0)


if __name__ == "__main__":
    stories = yaml.safe_load((HERE / "stories.yaml").read_text(encoding="utf-8"))
    (HERE / ARCHIVE).write_bytes(archive(members(stories)))
