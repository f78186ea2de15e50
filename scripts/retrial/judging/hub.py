"""Models from the Hugging Face hub, at a pinned revision, without duplicates of the weights."""

import logging
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from retrial.digest import sha256_file
from retrial.errors import RetrialError
from retrial.judging.model_files import FileFacts, ModelFiles

log = logging.getLogger("retrial")

SUPPORT = (
    "config.json",
    "generation_config.json",
    "tokenizer*",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template*",
    "vocab*",
    "merges.txt",
    "spiece.model",
    "sentencepiece*.model",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "adapter_config.json",
    "LICENSE*",
    "USE_POLICY*",
    "README.md",
)
"""Names beside the weights that a model may need, all at the top of the repository."""

WEIGHTS = (
    ("model.safetensors", r"model\.safetensors"),
    ("sharded safetensors", r"model-\d+-of-\d+\.safetensors|model\.safetensors\.index\.json"),
    ("adapter", r"adapter_model\.safetensors"),
    ("pytorch_model.bin", r"pytorch_model\.bin"),
    ("sharded .bin", r"pytorch_model-\d+-of-\d+\.bin|pytorch_model\.bin\.index\.json"),
)
"""Forms in which a repository may hold the same weights, best first; one is taken."""

MODULE_FOLDER = re.compile(r"\d+_[A-Za-z]+/[^/]+")
"""Files of a sentence encoder's modules, such as `1_Pooling/config.json`."""


def select_files(names: Iterable[str], extra: Sequence[str] = ()) -> list[str]:
    """The files of a repository to download, sorted.

    One form of the weights only: safetensors if there are any, `.bin` otherwise. Other
    frameworks' weights, checkpoints, and copies in folders stay away. `extra` adds patterns.
    Raises RetrialError when the repository holds no weights of a known form.
    """
    names = sorted(set(names))
    top = [n for n in names if "/" not in n]
    weights = next((w for _, form in WEIGHTS if (w := _weights(top, form))), [])
    chosen = {n for n in top if any(fnmatch(n, p) for p in SUPPORT)}
    chosen |= set(weights) | set(_modules(names))
    chosen |= {n for n in names if any(fnmatch(n, p) for p in extra)}
    if not any(n.endswith((".safetensors", ".bin")) for n in chosen):
        forms = ", ".join(label for label, _ in WEIGHTS)
        raise RetrialError(f"the repository holds no weights in a known form ({forms})")
    return sorted(chosen)


def prepare_hub(
    model: str, revision: str, cache: Path | None = None, *, allow_patterns: Sequence[str] = ()
) -> ModelFiles:
    """Downloads `model` at `revision` and records the commit that it resolved to.

    `cache` is the hub's cache folder (None: its default). What is there already is not
    downloaded again. `allow_patterns` adds files to the usual selection. Without a network
    a complete earlier download of the same commit is used. Raises RetrialError that says
    what to accept or set when the hub refuses.
    """
    import huggingface_hub
    from huggingface_hub import errors

    try:
        info = huggingface_hub.HfApi().model_info(model, revision=revision)
        names = select_files((s.rfilename for s in info.siblings or ()), allow_patterns)
        folder = huggingface_hub.snapshot_download(
            model, revision=info.sha, cache_dir=cache, allow_patterns=names
        )
    except RetrialError as error:
        raise RetrialError(f"{model} at {revision}: {error}") from error
    except errors.GatedRepoError as error:
        raise RetrialError(_gated(model)) from error
    except (errors.RevisionNotFoundError, errors.RepositoryNotFoundError) as error:
        raise RetrialError(_not_found(model, revision)) from error
    except Exception as error:  # the hub's client raises many kinds when it can't be reached
        return _offline(model, revision, cache, allow_patterns, error)
    resolved = str(info.sha)
    if not resolved.startswith(revision):
        log.warning(
            "%s: asked for revision %s, which now is commit %s; pin that to get the same "
            "model again",
            model,
            revision,
            resolved,
        )
    return _describe(Path(folder), names, model, resolved, _licence(info))


def _offline(
    model: str, revision: str, cache: Path | None, extra: Sequence[str], error: Exception
) -> ModelFiles:
    """The cached snapshot of a full commit hash, or the error that says why there is none."""
    try:
        folder, names = _cached(model, revision, cache, extra)
        check_shards(folder, names)
    except (OSError, ValueError, RetrialError) as missing:
        raise RetrialError(
            f"{model} at {revision}: the hub can't be reached ({type(error).__name__}) and there "
            f"is no complete earlier download in {cache or 'the default cache'}. Run this step "
            "on a machine with a network (and with HF_HUB_OFFLINE unset)"
        ) from missing
    log.warning("%s: the hub can't be reached; using the earlier download %s", model, folder)
    return _describe(folder, names, model, folder.name, "")


def _cached(
    model: str, revision: str, cache: Path | None, extra: Sequence[str]
) -> tuple[Path, list[str]]:
    """The snapshot in the cache and its selected files; the hub's client checks for gaps."""
    import huggingface_hub
    from huggingface_hub.errors import CachedRepoTreeNotFoundError

    def find(patterns: Sequence[str] | None) -> Path:
        return Path(
            huggingface_hub.snapshot_download(
                model,
                revision=revision,
                cache_dir=cache,
                allow_patterns=list(patterns) if patterns else None,
                local_files_only=True,
            )
        )

    try:
        tree = huggingface_hub.get_cached_repo_tree(model, revision=revision, cache_dir=cache)
        names = select_files((f.path for f in tree), extra)
        return find(names), names
    except CachedRepoTreeNotFoundError:  # downloaded by an older client
        folder = find(None)
        present = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
        return folder, select_files(present, extra)


def check_shards(folder: Path, names: Iterable[str]) -> None:
    """Raises RetrialError unless every shard that an index names is there."""
    for name in names:
        if name.endswith(".index.json"):
            index = (folder / name).read_text(encoding="utf-8")
            shards = set(re.findall(r'"([^"/]+\.(?:safetensors|bin))"', index))
            absent = sorted(s for s in shards if not (folder / s).is_file())
            if absent:
                raise RetrialError(f"{folder / name} names {absent[0]}, which is not there")


def _weights(top: Sequence[str], form: str) -> list[str]:
    """Files of one form; an index alone is no weights."""
    found = [n for n in top if re.fullmatch(form, n)]
    return found if any(not n.endswith(".json") for n in found) else []


def _modules(names: Sequence[str]) -> list[str]:
    found = [n for n in names if MODULE_FOLDER.fullmatch(n)]
    safe = {n.rsplit("/", 1)[0] for n in found if n.endswith(".safetensors")}
    kept = (".json", ".safetensors", ".txt")
    return [
        n
        for n in found
        if n.endswith(kept) or (n.endswith(".bin") and n.rsplit("/", 1)[0] not in safe)
    ]


def _describe(
    folder: Path, names: Sequence[str], model: str, revision: str, licence: str
) -> ModelFiles:
    """Hashes the selected files only: a shared cache folder may hold others."""
    facts = {n: FileFacts(sha256_file(folder / n), (folder / n).stat().st_size) for n in names}
    return ModelFiles(model, revision, str(folder.resolve()), facts, licence)


def _licence(info: Any) -> str:
    tags = info.tags or ()
    return next((t.removeprefix("license:") for t in tags if t.startswith("license:")), "")


def _gated(model: str) -> str:
    return (
        f"{model} is gated: accept its terms at https://huggingface.co/{model}, then set "
        "HF_TOKEN to a token of that account (or log in with `hf auth login`)"
    )


def _not_found(model: str, revision: str) -> str:
    return (
        f"{model} at {revision}: the hub knows no such model or revision. Check both in "
        "config.yaml; for a private or gated model set HF_TOKEN to a token that may read it"
    )
