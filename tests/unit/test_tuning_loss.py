"""The loss on rating tokens: equal to the whole computation, whatever the padding."""

from pathlib import Path

import pytest
import torch
from core_rows import TEMPLATE
from tiny_models import llama_like, t5_like, tiny_judge
from tuning_cases import SHORT, dialogues, spec, task, tiny_base, training_set

from retrial.config import TransformersJudge
from retrial.errors import RetrialError
from retrial.judging.backends.transformers import open_backend
from retrial.judging.prompts import Asking, build_prompts
from retrial.tuning.learning_items import LearningItem, held_out, learning_items
from retrial.tuning.loss import mean_loss, micro_batches, rating_logits, rating_loss

KINDS = ("llama", "gpt2", "falcon", "mistral", "falcon-alibi")
BATCH = [
    LearningItem("a", (1, 40, 41, 42, 43, 44, 45), (30,)),
    LearningItem("b", (1, 50, 51), (31, 32, 33)),
    LearningItem("c", (1, 60, 61, 62, 63), (34, 35)),
]

ENCODED = [
    LearningItem("x", (5, 6, 1), (7,), (8,)),
    LearningItem("y", (5, 1), (9, 10)),
    LearningItem("z", (5, 6, 7, 8, 1), (11,)),
]


def by_hand(judge, item: LearningItem) -> float:
    """Every position's log-softmax of one unpadded row, in double precision."""
    if judge.architecture == "seq2seq":
        start = judge.model.config.decoder_start_token_id
        answer = (start, *item.lead, *item.rating)
        logits = judge.model(
            input_ids=torch.tensor([item.prompt]), decoder_input_ids=torch.tensor([answer[:-1]])
        ).logits[0]
        skipped = len(item.lead)
    else:
        logits = judge.model(input_ids=torch.tensor([item.prompt + item.rating[:-1]])).logits[0]
        skipped = len(item.prompt) - 1
    rows = logits.double().log_softmax(-1)[skipped:]
    return -sum(float(rows[i, token]) for i, token in enumerate(item.rating))


@pytest.mark.parametrize("kind", [*KINDS, "t5"])
def test_a_padded_batch_has_the_loss_of_its_rows_alone(kind):
    judge = tiny_judge(kind, t5_like() if kind == "t5" else llama_like())
    batch = ENCODED if kind == "t5" else BATCH
    with torch.no_grad():
        loss, tokens = rating_loss(judge, batch)
        expected = sum(by_hand(judge, item) for item in batch)
    assert tokens == sum(len(i.rating) for i in batch)
    assert float(loss) == pytest.approx(expected, rel=1e-5)


def test_only_the_positions_that_predict_ratings_meet_the_vocabulary(monkeypatch):
    judge, seen = tiny_judge("llama"), []
    head = judge.model.get_output_embeddings()
    head.register_forward_hook(lambda _, inputs, __: seen.append(tuple(inputs[0].shape[:2])))
    rating_loss(judge, BATCH)
    assert seen == [(3, 3)]
    rating_loss(judge, BATCH[:1])
    assert seen[-1] == (1, 1)


def test_the_gradient_is_that_of_the_rating_and_of_nothing_before_it():
    """The same as of the whole sequence's logits with all other positions masked out."""
    judge = tiny_judge("llama")
    weight = judge.model.model.layers[0].self_attn.q_proj.weight
    loss, _ = rating_loss(judge, BATCH)
    loss.backward()
    found = weight.grad.clone()
    weight.grad = None
    for item in BATCH:
        ids = torch.tensor([item.prompt + item.rating])
        labels = torch.full_like(ids, -100)
        labels[0, len(item.prompt) :] = ids[0, len(item.prompt) :]
        (judge.model(input_ids=ids, labels=labels).loss * len(item.rating)).backward()
    assert torch.allclose(found, weight.grad, rtol=1e-4, atol=1e-5 * float(found.abs().max()))


def test_the_mean_is_over_all_tokens_whatever_the_batches():
    judge = tiny_judge("llama")
    with torch.no_grad():
        expected = sum(by_hand(judge, i) for i in BATCH) / 6
    judge.model.train()
    for size in (1, 2, 3):
        assert mean_loss(judge, BATCH, size) == pytest.approx(expected, rel=1e-5)
    assert judge.model.training


def test_micro_batches_are_sorted_by_length_and_hold_every_item_once():
    groups = list(micro_batches(BATCH, 2))
    assert [[i.item_id for i in g] for g in groups] == [["a", "c"], ["b"]]
    assert [i.tokens for g in groups for i in g] == [7, 6, 5]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_base(tmp_path_factory.mktemp("base"))


def judged(base, prompt_format: str = "plain", context: int = 128, template=SHORT, **changes):
    """What is learned, and what is asked of the same judge about the same items."""
    asked = {"backend": "transformers", "source": {"package": "tiny"},
             "prompt_format": prompt_format, "context_tokens": context}  # fmt: skip
    backend = open_backend(asked, base, 1)
    made = learning_items(spec(**changes), training_set(15), [dialogues(15)], template, backend)
    asking = Asking("zero-shot", "t", template)
    ids = [f"i{n}" for n in range(15)]
    prompts = build_prompts(dialogues(15), ids, [asking], ["overall"], {}).to_pylist()
    requests = backend.render(prompts, {"t": template})
    return made, {p["item_id"]: r for p, r in zip(prompts, requests, strict=True)}


@pytest.mark.parametrize("context", [128, 52])
def test_what_is_learned_is_what_is_asked(base, context):
    made, asked = judged(base, context=context)
    if context == 52:
        assert any(r.about["item_turns_dropped"] for r in asked.values())
    for item in (*made.train, *made.held_out):
        request = asked[item.item_id]
        likert = str(1 + int(item.item_id[1:]) % 5)
        assert item.prompt == request.place
        assert item.rating == request.payload.sequences[likert][0]


def test_prompt_and_rating_are_the_tokens_of_the_text_with_its_rating(base):
    from retrial.judging.models import load_tokenizer

    made, asked = judged(base)
    tokenizer = load_tokenizer(base)
    for item in made.train:
        text = asked[item.item_id].about["prompt_text"]
        together = tokenizer(f"{text} {1 + int(item.item_id[1:]) % 5}").input_ids
        assert [*item.prompt, *item.rating] == together


def test_held_out_items_are_a_seeded_share_and_never_learned_from(base):
    made, _ = judged(base, held_out=0.2)
    ids = [{i.item_id for i in part} for part in (made.train, made.held_out)]
    assert len(ids[1]) == 3 and not ids[0] & ids[1] and len(ids[0] | ids[1]) == 15
    assert [i.item_id for i in made.train] == [
        f"i{n}" for n in reversed(range(15)) if f"i{n}" in ids[0]
    ]
    again, _ = judged(base, held_out=0.2, seed=4)
    assert {i.item_id for i in again.held_out} != ids[1]
    assert held_out(["a", "b"], 0.01, 1) and not held_out(["a", "b"], 0.0, 1)


def test_binary_labels_are_learned_by_a_binary_template(base):
    template = SHORT.model_copy(update={"ratings": ("0", "1")})
    made, asked = judged(base, template=template, labels="binary")
    for item in made.train:
        label = str(int(int(item.item_id[1:]) % 5 > 2))
        assert item.rating == asked[item.item_id].payload.sequences[label][0]
    with pytest.raises(RetrialError, match="likert label 5, and template t asks for 0, 1"):
        judged(base, template=template)


def test_test_items_and_strangers_are_refused(base):
    made = task(base)
    backend = open_backend({"backend": "transformers", "source": {"package": "tiny"}}, base, 1)
    args = (made.spec, training_set(3))
    with pytest.raises(RetrialError, match=r"item i2 is of the test split"):
        learning_items(*args, [dialogues(3, "test")], SHORT, backend)
    with pytest.raises(RetrialError, match="item i2 of the training set is in none"):
        learning_items(*args, [dialogues(2)], SHORT, backend)


def test_prompts_that_fit_no_context_are_left_out_and_none_left_is_an_error(base):
    with pytest.raises(RetrialError, match="15 too long, 0 held out: none is left"):
        judged(base, context=40, template=TEMPLATE, held_out=0)


def test_a_context_of_the_tuning_own_is_used(base):
    made = task(base, context_tokens=52)
    judge = TransformersJudge.model_validate({**made.judge.model_dump(), "context_tokens": 52})
    assert made.learning.digest == judged(base, context=judge.context_tokens)[0].digest
    assert made.learning.digest != task(base).learning.digest


def test_an_encoder_decoder_judge_learns_behind_its_lead(tmp_path: Path):
    base = tiny_base(tmp_path / "t5", "t5")
    made = task(base)
    for item in made.learning.train:
        assert item.prompt[-1] == 1 and item.rating
    judge = tiny_judge("t5", t5_like("▁rate", "▁yes"))
    with torch.no_grad():
        logits = rating_logits(judge, made.learning.train[:3])
    assert logits.shape[0] == 3
