"""Effects of importing the package, before TensorFlow starts."""

import os
import subprocess
import sys

import pytest

import dsa

NAME = "TF_ENABLE_ONEDNN_OPTS"


@pytest.mark.parametrize(
    ("code", "given", "expected"),
    [
        ("import dsa", None, None),
        ("import dsa.commands", None, "1"),
        ("import dsa.commands", "0", "0"),
        ("import dsa; dsa.train", None, "1"),
    ],
)
def test_onednn_is_on_where_tensorflow_starts_here(code, given, expected):
    environment = {k: v for k, v in os.environ.items() if k != NAME}
    if given is not None:
        environment[NAME] = given
    code += f"; import os, sys; print(os.environ.get({NAME!r}), 'keras' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{expected} False\n"


def test_readers_and_the_interface_are_imported_when_used_and_without_keras():
    code = (
        "import sys, dsa; assert 'dsa.api.runs' not in sys.modules\n"
        "from dsa.data.corpora.catalogue import CORPORA\n"
        "reads = [c.read for c in CORPORA.values() if type(c.read) is str]\n"
        "readers = {read.split(':')[0] for read in reads}\n"
        "assert readers and not readers & {*sys.modules}\n"
        "assert {*dsa.__all__} <= {*dir(dsa)}; from dsa import load, train\n"
        "assert load is dsa.api.runs.load and train is dsa.api.training.train\n"
        "assert not {'keras', 'tensorflow'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="module 'dsa' has no attribute 'lod'"):
        dsa.lod  # noqa: B018
