"""LoRA on a base judge: the layers that learn, and their files as peft writes them."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from retrial.config import Tuning
from retrial.errors import RetrialError
from retrial.judging.adapters import SETTINGS, WEIGHTS
from retrial.judging.model_files import ModelFiles
from retrial.judging.models import LoadedJudge

ALL_LINEAR = "all-linear"
"""peft's name for every linear layer but the one that makes logits."""

TASKS = {"causal": "CAUSAL_LM", "seq2seq": "SEQ_2_SEQ_LM"}


@dataclass(frozen=True)
class AdapterFiles:
    """The bytes of peft's two files; equal adapters have equal bytes on every machine."""

    settings: bytes
    weights: bytes


class Lora:
    """The new layers in a loaded judge. Its model computes with them from then on."""

    def __init__(self, judge: LoadedJudge, spec: Tuning, base: ModelFiles) -> None:
        """Raises RetrialError for targets that the model does not have."""
        import peft

        torch.manual_seed(spec.seed)
        config = peft.LoraConfig(
            r=spec.rank,
            lora_alpha=spec.alpha,
            lora_dropout=spec.dropout,
            target_modules=_targets(spec.targets),
            task_type=TASKS[judge.architecture],
        )
        try:
            self._tuned: Any = peft.get_peft_model(judge.model, config)
        except ValueError as error:
            raise RetrialError(
                f"tuning: no LoRA layers on {base.model}: {str(error).rstrip('.')}. Set `targets` "
                "to layers that it has and peft takes"
            ) from error
        self._base = base
        if spec.gradient_checkpointing:
            judge.model.gradient_checkpointing_enable({"use_reentrant": False})

    @property
    def parameters(self) -> list[torch.nn.Parameter]:
        """The weights that learn."""
        return [p for p in self._tuned.parameters() if p.requires_grad]

    def state(self) -> dict[str, torch.Tensor]:
        """Copies of these weights by name, in main memory."""
        return {
            name: parameter.detach().cpu().clone()
            for name, parameter in self._tuned.named_parameters()
            if parameter.requires_grad
        }

    def put(self, state: dict[str, torch.Tensor]) -> None:
        """The inverse of `state`."""
        with torch.no_grad():
            for name, parameter in self._tuned.named_parameters():
                if parameter.requires_grad:
                    parameter.copy_(state[name])

    def without(self) -> Any:
        """A context in which the model computes as the base does."""
        return self._tuned.disable_adapter()

    def is_untouched(self) -> bool:
        """Whether all weights B are zero, as before the first step."""
        return not any(bool(w.any()) for name, w in self.state().items() if ".lora_B" in name)

    def files(self) -> AdapterFiles:
        """peft's files, with sorted settings that name the base by its id and revision."""
        with TemporaryDirectory() as folder:
            self._tuned.save_pretrained(folder, save_embedding_layers=False)
            settings = json.loads((Path(folder) / SETTINGS).read_text(encoding="utf-8"))
            weights = (Path(folder) / WEIGHTS).read_bytes()
        settings["base_model_name_or_path"] = self._base.model
        settings["revision"] = self._base.revision
        if not isinstance(settings["target_modules"], str):
            settings["target_modules"] = sorted(settings["target_modules"])
        text = json.dumps(settings, indent=1, sort_keys=True, ensure_ascii=False)
        return AdapterFiles((text + "\n").encode(), weights)


def _targets(targets: list[str]) -> list[str] | str:
    """Names (ends of module names) as they are; a pattern among them makes all one pattern.

    A pattern must match a module's whole name: `.*layers[.]2[2-9][.].*_proj` takes the layers
    22 to 29, and a backward pass then ends at layer 22.
    """
    if not targets:
        return ALL_LINEAR
    if all(re.fullmatch(r"[\w.-]+", name) for name in targets):
        return targets
    return "|".join(f"(?:{pattern})" for pattern in targets)
