"""docs/own_data.md, followed literally."""

import json
import pathlib
import re
import shlex

import pytest

from dsa.commands.main import main

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/own_data.md").read_text(encoding="utf-8")
TEMPLATE = (ROOT / "configs/own/pairs.yaml").read_text(encoding="utf-8")


def files():
    """`{name: content}` of the files that the page shows."""
    pattern = r"^`([\w/]+\.(?:csv|yaml))`[^\n]*:\n\n```\w+\n(.*?)^```$"
    return dict(re.findall(pattern, PAGE, flags=re.M | re.S))


def test_the_template_is_that_of_the_page():
    lines = [line for line in TEMPLATE.splitlines(True) if not line.startswith("#")]
    assert files()["my_pairs.yaml"] == "".join(lines)


@pytest.mark.slow
@pytest.mark.keras
def test_the_page_can_be_followed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("my_data").mkdir()
    for name, content in files().items():
        pathlib.Path(name).write_text(content, encoding="utf-8")
    commands = re.findall(r"^ {4}dsa (.+)$", PAGE.replace("\\\n", ""), flags=re.M)
    for line in commands:
        line = re.sub(r" 14 15| runs/\w+/seed-1[45]", "", line)  # one seed is enough
        assert main(shlex.split(line)) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    assert "test: test.csv, 2 rows" in out and "run folder: runs/my_pairs" in out
    lines = pathlib.Path("predictions.jsonl").read_text().splitlines()
    assert [json.loads(line)["label"] in ("yes", "no") for line in lines] == [True] * 2
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.M | re.S)
    exec(code, {})
    assert "probabilities" not in (printed := capsys.readouterr().out)
    assert re.search(r"^(yes|no) \{'no': ", printed, flags=re.M)
    pathlib.Path("absolute.yaml").write_text(
        files()["my_pairs.yaml"]
        .replace(": train.csv", f": {tmp_path}/my_data/train.csv")
        .replace(": dev.csv", f": {tmp_path}/my_data/dev.csv")
        .replace("  test: test.csv\n", "")
    )
    short = ["--set", "training.steps=2", "--data-root", "/"]
    assert main(["train", "absolute.yaml", *short]) == 0
