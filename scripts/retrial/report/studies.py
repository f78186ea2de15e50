"""The studies as readers know them, and what of each can't be computed again by anybody."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Study:
    """A paper: its title, where it appeared, what it asks, and the limits of any re-run."""

    id: str
    name: str
    title: str
    reference: str
    question: str
    limits: tuple[str, ...] = ()


STUDIES = (
    Study(
        "jia2024",
        "Dialogue quality",
        "Leveraging LLMs for Dialogue Quality Measurement",
        "Jia et al., NAACL 2024 Industry Track",
        "Do language models rate dialogues as people do, and do examples in the prompt help?",
        (
            "Tables 1, 3 and 4 rest on dialogues inside Amazon that were never released. They are "
            "checked by arithmetic only.",
            "The test dialogues of Table 2 are a random tenth that is not published. Another tenth "
            "is drawn here, and printed values are compared by prediction intervals.",
        ),
    ),
    Study(
        "chiang2023",
        "Story quality",
        "Can Large Language Models Be an Alternative to Human Evaluations?",
        "Chiang and Lee, ACL 2023",
        "Do language models rate stories as English teachers do?",
        (
            "The recorded answers carry no story ids. Which story an answer is about is inferred "
            "from its text, and what rests on that is marked.",
            "The prompts of the recordings are described in the paper, but are not among the "
            "released files.",
        ),
    ),
)


def study_of(table: str) -> str:
    """The study that a table belongs to: `<study>_<table>`."""
    return table.split("_", 1)[0]


def table_title(table: str) -> str:
    """A table's short name: `Table 2` for `jia2024_table2`."""
    name = table.split("_", 1)[-1]
    if not name.startswith("table"):
        return name.replace("-", " ").capitalize()
    number = name.removeprefix("tables").removeprefix("table").replace("to", "–")
    return f"{'Tables' if name.startswith('tables') else 'Table'} {number}"
