"""The bundled run over HTTP, and the commands of its page: `make test-serve`."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("prometheus_client", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

import dsa
from tests.support.services import request, run_service

PAGE = pathlib.Path("docs/serving.md")
PAIRS = [
    ["A big dog chases a cat.", "An animal follows a cat."],
    ["A man sleeps.", "A zebra sleeps."],
]


@pytest.fixture(scope="module")
def port():
    with run_service("mini") as (_, port):
        yield port


@pytest.fixture(scope="module")
def trained():
    return dsa.load("mini")


def test_answers_equal_those_of_the_run(port, trained):
    _, _, content = request(port, "/predict", {"rows": PAIRS})
    expected = trained.predict(PAIRS)
    for answer, prediction in zip(content["answers"], expected, strict=True):
        assert answer["label"] == prediction.label
        assert answer["probabilities"] == pytest.approx(
            prediction.probabilities, abs=1e-6
        )
    assert [answer["unknown"] for answer in content["answers"]] == [[], ["zebra"]]
    _, _, content = request(port, "/encode", {"texts": PAIRS[0]})
    vectors = [answer["vector"] for answer in content["answers"]]
    np.testing.assert_allclose(vectors, trained.encode(PAIRS[0]), atol=1e-6)
    _, _, content = request(port, "/explain", {"row": PAIRS[1]})
    (answer,) = content["answers"]
    assert {*answer["maps"]} == {*trained.explain(*PAIRS[1])}


def test_health_describes_the_run(port):
    status, _, facts = request(port, "/health")
    assert (status, facts["model"], facts["task"]) == (200, "dsa", "nli")
    assert facts["inputs"] == ["premise", "hypothesis"] and facts["encodes"] is True


@pytest.mark.parametrize(
    ("path", "content", "status", "message"),
    [
        ("/predict", {"rows": [["a " * 1500, "b"]] * 4}, 200, None),
        ("/predict", {"rows": ["A man sleeps."]}, 400, "expected premise and"),
        (
            "/explain",
            {"row": ["a " * 121, "b"]},
            400,
            "Received: premise with 121 tokens",
        ),
        (
            "/predict",
            {"rows": PAIRS * 501},
            413,
            "is limited to 1,000 items. Received: 1,002",
        ),
        (
            "/encode",
            {"texts": ["a" * 100_000]},
            413,
            "4,000 characters. Received: 100,000",
        ),
    ],
)
def test_large_requests_are_answered_or_rejected_and_the_service_continues(
    port, path, content, status, message
):
    actual_status, _, answer = request(port, path, content)
    assert actual_status == status
    assert message is None or message in answer["error"]
    assert request(port, "/predict", {"rows": PAIRS})[0] == 200


def test_a_second_service_on_the_port_exits_with_one_line(port):
    command = [sys.executable, "-m", "dsa", "serve", "mini", "--port", str(port)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"error: 127.0.0.1:{port}: Address already in use\n"


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl")
def test_the_curl_commands_of_the_page_work(port):
    lines = re.findall(r"^ {4}(curl .*)$", PAGE.read_text(), re.M)
    assert len(lines) == 5
    for line in lines:
        line = line.replace("127.0.0.1:8000", f"127.0.0.1:{port}")
        text = subprocess.check_output(["sh", "-c", f"{line} --silent"], text=True)
        if "/metrics" in line:
            assert text.startswith("# HELP dsa_requests_total ")
        elif "/health" in line:
            assert json.loads(text)["status"] == "ok"
        else:
            (answer,) = json.loads(text)["answers"]
            assert answer["unknown"] == []


def test_the_python_example_of_the_page_works(port, capsys):
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    exec(code.replace("127.0.0.1:8000", f"127.0.0.1:{port}"), {})
    assert "'label'" in capsys.readouterr().out
