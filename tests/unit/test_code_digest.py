"""The digest of the code that a rule runs: what changes it, and what must not."""

from pathlib import Path

import pytest

from retrial import code_digest as subject
from retrial.code_digest import code_digest, code_files
from retrial.errors import RetrialError

MODULES = {
    "retrial/__init__.py": "",
    "retrial/helper.py": 'def double(x):\n    """Twice."""\n    return 2 * x  # twice\n',
    "retrial/deep.py": "from retrial.helper import double\n\n\ndef four(x):\n    return double(double(x))\n",  # noqa: E501
    "retrial/other.py": "def three(x):\n    return 3 * x\n",
    "retrial/config.py": "from retrial.other import three\nDEFAULT = 1\n",
    "retrial/record/__init__.py": "from retrial.record.files import write\n",
    "retrial/record/files.py": "def write():\n    pass\n",
    "retrial/pages/__init__.py": "",
    "retrial/pages/html.py": 'TEMPLATE = "page.html.j2"\n',
    "retrial/pages/page.html.j2": "<p>{{ x }}</p>\n",
    "retrial/plugins/__init__.py": "from importlib import import_module\n\n\ndef get(name):\n    return import_module(f'retrial.plugins.{name}')\n",  # noqa: E501
    "retrial/plugins/one.py": "def run():\n    return 1\n",
    "retrial/plugins/two.py": "def run():\n    return 2\n",
    "uses_deep.py": "from adapter import start\nfrom retrial.deep import four\nfrom retrial.config import DEFAULT\nfrom retrial.record import write\n",  # noqa: E501
    "uses_other.py": "import retrial.other\n",
    "uses_plugins.py": "from retrial.plugins import get\n",
    "uses_pages.py": "from retrial.pages.html import TEMPLATE\n",
}
SCRIPTS = [name for name in MODULES if "/" not in name]


def forget():
    for cached in (subject._tree, subject._imports, subject._meaning, subject._resources):
        cached.cache_clear()


@pytest.fixture
def code(tmp_path, monkeypatch):
    """A small package; calling the fixture gives the digest of every script."""
    for name, text in MODULES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(subject, "ROOT", tmp_path)
    forget()
    yield tmp_path
    forget()


def digests(root: Path) -> dict[str, str]:
    forget()
    return {name: code_digest(root / name) for name in SCRIPTS}


def changed_by(root: Path, name: str, old: str, new: str) -> set[str]:
    """The scripts whose digest an edit changes."""
    before = digests(root)
    text = (root / name).read_text()
    assert old in text
    (root / name).write_text(text.replace(old, new))
    after = digests(root)
    return {script for script in SCRIPTS if after[script] != before[script]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# twice", "# two times"),
        ('"""Twice."""', '"""Two times."""'),
        ('    """Twice."""\n', ""),
        ("2 * x", "(2\n        *x)"),
        ("def", "\n\n\n# a note\ndef"),
    ],
)
def test_words_and_form_rerun_nothing(code, old, new):
    assert changed_by(code, "retrial/helper.py", old, new) == set()


@pytest.mark.parametrize(
    ("name", "old", "new", "scripts"),
    [
        ("retrial/helper.py", "2 * x", "x * 2", {"uses_deep.py"}),
        ("retrial/deep.py", "double(double(x))", "double(x)", {"uses_deep.py"}),
        ("retrial/other.py", "3", "4", {"uses_other.py"}),
        ("uses_other.py", "other", "other as o", {"uses_other.py"}),
        ("retrial/pages/page.html.j2", "<p>", "<b>", {"uses_pages.py"}),
    ],
)
def test_behaviour_reruns_exactly_what_uses_it(code, name, old, new, scripts):
    assert changed_by(code, name, old, new) == scripts


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("retrial/config.py", "DEFAULT = 1", "DEFAULT = 2"),
        ("retrial/record/files.py", "pass", "return 1"),
        ("retrial/plugins/one.py", "1", "3"),
    ],
)
def test_the_closure_stops_where_every_rule_meets(code, name, old, new):
    """And what only the configuration reaches through them (`other`) is not in it either."""
    assert changed_by(code, name, old, new) == set()
    assert "retrial.other" not in code_files(code / "uses_deep.py")


def test_the_configured_plugin_counts_and_no_other(code):
    def digest(*plugins: str) -> str:
        forget()
        return code_digest(code / "uses_plugins.py", plugins)

    one, both = "retrial.plugins.one", ("retrial.plugins.one", "retrial.plugins.two")
    assert len({digest(), digest(one), digest(*both)}) == 3
    before = digest(one)
    (code / "retrial/plugins/two.py").write_text("def run():\n    return 22\n")
    assert digest(one) == before
    (code / "retrial/plugins/one.py").write_text("def run():\n    return 11\n")
    assert digest(one) != before


def test_a_plugin_that_nobody_wrote_is_named(code):
    with pytest.raises(RetrialError, match=r"no module retrial\.plugins\.three"):
        code_digest(code / "uses_plugins.py", ["retrial.plugins.three"])


def test_the_order_of_plugins_does_not_count(code):
    plugins = ["retrial.plugins.one", "retrial.plugins.two"]
    script = code / "uses_plugins.py"
    assert code_digest(script, plugins) == code_digest(script, reversed(plugins))


def test_modules_that_import_each_other_end(code):
    (code / "retrial/helper.py").write_text("import retrial.deep\n")
    forget()
    assert set(code_files(code / "uses_deep.py")) == {
        "uses_deep.py", "retrial.deep", "retrial.helper"
    }  # fmt: skip


REAL = Path(subject.__file__).parent.parent


def test_every_adapter_of_the_project_has_a_closure_without_the_stops():
    forget()
    adapters = [p for p in REAL.glob("*.py") if p.name != "adapter.py"]
    assert len(adapters) >= 8
    for script in adapters:
        files = code_files(script)
        assert not [m for m in files if subject._stops(m)]
        assert all(path.is_file() for path in files.values())
        assert not [m for m in files if m.startswith("snakemake")]


def test_asking_a_judge_depends_on_no_table_and_rendering_on_its_page():
    forget()
    asked = code_files(REAL / "ask_judge.py", ["retrial.judging.backends.transformers"])
    assert "retrial.judging.forward" in asked and "retrial.judging.request" in asked
    assert not [m for m in asked if m.startswith(("retrial.tables", "retrial.metrics"))]
    assert "retrial.tables.render.html/table.html.j2" in code_files(REAL / "render_table.py")
