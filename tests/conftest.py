"""Every test has a cache folder of its own and no data root from outside."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import pytest


@pytest.fixture(autouse=True, scope="session")
def _no_outside(tmp_path_factory):
    os.environ["DSA_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    os.environ.pop("DSA_DATA", None)
