"""The command `dsa` with a model that needs no Keras: `python -m
tests.support.fake_service serve any`.

It answers a row with its texts. The text "wait" makes it wait until there is the file
that the variable `GATE` names, "fail" and "refuse" make it fail. With the variable
`HURRY` what bounds a client's time, and that of the end, is so many seconds.
"""

import json
import os
import pathlib
import signal
import sys
import time
import types

from dsa.commands.main import main
from dsa.errors import InputError
from dsa.hub import fetching
from dsa.tasks.classification import Classification
from tests.support.services import GATE, HURRY

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job has none


class FakeAnswers:
    task = Classification("nli", ("premise", "hypothesis"), ("yes", "no"))

    def __call__(self, kind, rows):
        texts = [text for row in rows for text in row]
        if "fail" in texts:
            raise OSError("told to fail")
        if "refuse" in texts:
            raise InputError("told to refuse,\nin two lines")
        while "wait" in texts and not pathlib.Path(os.environ[GATE]).exists():
            time.sleep(0.01)
        return [json.dumps({"kind": kind, "row": row}) for row in rows]

    def describe(self):
        return {"model": "fake"}

    def check_kind(self, kind):
        if kind == "explain":
            raise InputError("nothing is looked at")


def hurry(seconds):
    from dsa.commands import serve
    from dsa.inference.serving import application, bounded_connection

    application.BODY_SECONDS = bounded_connection.HEAD_SECONDS = seconds
    serve.SECONDS_TO_END = serve.SECONDS_MORE = seconds


if __name__ == "__main__":
    if HURRY in os.environ:
        hurry(float(os.environ[HURRY]))
    sys.modules["dsa.inference.serving.model_answers"] = types.SimpleNamespace(
        load_answers=lambda run, runtime, batch_rows: FakeAnswers()
    )
    fetching.find_run = pathlib.Path  # no folder is read
    raise SystemExit(main())
