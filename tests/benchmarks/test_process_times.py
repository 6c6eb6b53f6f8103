import json
import sys
from pathlib import Path

import keras
import pytest

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="does not depend on the backend"
)
ROOT = Path(__file__).parents[2]


def test_a_command_is_measured_in_two_checkouts_in_turn(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import process_times

    other = tmp_path / "other"
    other.joinpath("dsa").mkdir(parents=True)
    other.joinpath("dsa/__init__.py").write_text("import time\ntime.sleep(1)\n")
    record = tmp_path / "record.json"
    options = ["--anyway", "--rounds", "2", "--sides", "import"]
    arguments = [*options, "--against", str(other), "--out", str(record)]
    monkeypatch.setattr(sys, "argv", ["process_times.py", *arguments])
    process_times.main()
    figures = json.loads(record.read_text())
    assert list(figures["figures"]) == ["import", "import, before"]
    before = figures["figures"]["import, before"]["wall_seconds"]
    assert len(before["all"]) == 2 and before["min"] > 1
    assert figures["ratios"]["import"]["max"] < 1
