"""What every section of the configuration shares: ids, and the refusal of unknown keys."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

ID_PATTERN = r"[a-z0-9][a-z0-9.-]*"
TABLE_PATTERN = rf"{ID_PATTERN}_{ID_PATTERN}"
Id = Annotated[str, StringConstraints(pattern=rf"^{ID_PATTERN}$")]
TableId = Annotated[str, StringConstraints(pattern=rf"^{TABLE_PATTERN}$")]


class Section(BaseModel):
    """A part of the configuration: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)
