"""How a faulty configuration is reported: each key where it stands, and the nearest valid one."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails


def explain(where: str, name: str, valid: Iterable[str], kind: str) -> str:
    """One line: the place, the unknown name, and the nearest valid one (or all of them)."""
    names = sorted(valid)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
    return f"{where}: no {kind} named {name!r}; {hint}"


def report(error: ValidationError, root: type[BaseModel]) -> Iterator[str]:
    """One line for each fault that pydantic found in a configuration of model `root`."""
    return (_line(fault, root) for fault in error.errors())


def _line(fault: ErrorDetails, root: type[BaseModel]) -> str:
    key = ".".join(str(part) for part in fault["loc"]) or "config"
    if fault["type"] == "extra_forbidden":
        return explain(key, str(fault["loc"][-1]), valid_keys(root, fault["loc"][:-1]), "key")
    if fault["type"] == "string_pattern_mismatch":
        pattern = fault["ctx"]["pattern"]
        return f"{key}: {fault['input']!r} is no id; ids look like falcon-7b ({pattern})"
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    return f"{key}: {fault['msg']} (got {fault['input']!r})"


def valid_keys(root: type[BaseModel], location: Iterable[int | str]) -> list[str]:
    """The keys of the section at a location, as pydantic names it (tags of unions included)."""
    models: list[type[BaseModel]] = [root]
    for step in location:
        fields = [m.model_fields[step] for m in models if step in m.model_fields]
        if fields:
            models = [m for f in fields for m in _models((f.annotation, f.metadata))]
        elif tagged := [m for m in models if _is_tagged(m, step)]:
            models = tagged
    return [name for model in models for name in model.model_fields]


def _is_tagged(model: type[BaseModel], step: int | str) -> bool:
    """Whether a step of a location says which member of a union is meant: its class or tag."""
    tags = (get_args(f.annotation) for f in model.model_fields.values())
    return step == model.__name__ or any(options == (step,) for options in tags)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The sections in an annotation: inside dictionaries, lists, unions and `Annotated`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    parts = annotation if isinstance(annotation, tuple | list) else get_args(annotation)
    for part in parts:
        yield from _models(part)
