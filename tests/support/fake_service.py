"""The command `dsa` with a model without Keras: `python -m tests.support.fake_service
serve any`.

The model returns the texts of each row. The text "wait" blocks it until the file exists
that the environment variable `GATE` names; "fail", "break" and "reject" raise
exceptions.
"""

import json
import os
import pathlib
import signal
import sys
import time
import types

from dsa.commands import serve
from dsa.commands.main import main
from dsa.errors import InferenceError, InputError
from dsa.hub import fetching
from dsa.tasks.classification import Classification
from tests.support.services import GATE

signal.signal(signal.SIGINT, signal.default_int_handler)  # unset in background jobs


class FakeJsonModel:
    task = Classification("nli", ("premise", "hypothesis"), ("yes", "no"))

    def __call__(self, kind, rows):
        texts = [text for row in rows for text in row]
        if "fail" in texts:
            raise OSError("failure of the model")
        if "break" in texts:
            raise InferenceError("models/model.onnx: inference failed")
        if "reject" in texts:
            raise InputError("rejected by the model,\nin two lines")
        while "wait" in texts and not pathlib.Path(os.environ[GATE]).exists():
            time.sleep(0.01)
        return [json.dumps({"kind": kind, "row": row}) for row in rows]

    def describe(self):
        return {"model": "fake"}

    def check_kind(self, kind):
        if kind == "explain":
            raise InputError("a model without explanations")


if __name__ == "__main__":
    sys.modules["dsa.inference.serving.json_model"] = types.SimpleNamespace(
        load_json_model=lambda run, runtime, batch_rows: FakeJsonModel()
    )
    fetching.find_run = pathlib.Path  # reads no folder
    seconds = os.environ.get("FAKE_SHUTDOWN_SECONDS", serve.SHUTDOWN_SECONDS)
    serve.SHUTDOWN_SECONDS = int(seconds)
    raise SystemExit(main())
