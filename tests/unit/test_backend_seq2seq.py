"""The transformers backend with an encoder-decoder model: ratings are read in the decoder."""

import math

import pytest
import torch
from core_rows import TEMPLATE, prompt
from tiny_models import t5_like, tiny_model

from retrial.judging.backends.transformers import open_backend
from retrial.judging.model_files import describe_folder
from retrial.judging.rating_tokens import find_decoder_tokens

PROMPTS = [prompt(f"p{n}", *texts) for n, texts in enumerate([("hi", "hello"), ("thanks",)])]


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    folder = tmp_path_factory.mktemp("t5")
    tokenizer = t5_like()
    tiny_model("t5", len(tokenizer)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    files = describe_folder(folder, model="tiny", revision="0")
    spec = {"backend": "transformers", "source": {"package": "tiny"}, "context_tokens": 400}
    return open_backend(spec, files, 1)


def test_the_ratings_are_those_of_the_decoder(backend):
    requests = backend.render(PROMPTS, {"t": TEMPLATE})
    answers = {a["request_id"]: a for a in backend.ask(requests, lambda count: None)}
    model, tokenizer = backend.loaded.model, backend.tokenizer
    rating_tokens = find_decoder_tokens(backend.encode, TEMPLATE.ratings)
    for request in requests:
        ids = torch.tensor([tokenizer(request.about["prompt_text"])["input_ids"]])
        assert tuple(ids[0].tolist()) == request.place
        start = [model.config.decoder_start_token_id, *rating_tokens.lead]
        with torch.inference_mode():
            logits = model(input_ids=ids, decoder_input_ids=torch.tensor([start])).logits[0, -1]
        expected = torch.log_softmax(logits.double(), -1)
        found = dict(answers[request.request_id]["rating_logprobs"])
        assert found.keys() == set(TEMPLATE.ratings)
        for rating, spellings in rating_tokens.sequences.items():
            assert all(len(spelling) == 1 for spelling in spellings)
            whole = math.log(sum(math.exp(expected[s[0]]) for s in spellings))
            assert found[rating] == pytest.approx(whole, abs=1e-4)
