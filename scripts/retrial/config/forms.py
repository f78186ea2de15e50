"""The section of rating forms: what people are asked, in the judges' words (chiang2023, 3.2)."""

from pydantic import Field, PositiveInt

from retrial.config.section import Id, Section


class Form(Section):
    """Questions about drawn items of a dataset, in one or several files.

    Give one file to several people, and they rate the same items.
    """

    label: str = Field(description="the heading that raters read")
    dataset: Id
    templates: list[str] = Field(
        min_length=1, description="ids of templates in the prompts folder, one an attribute"
    )
    items: PositiveInt = Field(20, description="items of one file")
    files: PositiveInt = Field(1, description="how many files; no item stands in two")
    seed: int = 1
