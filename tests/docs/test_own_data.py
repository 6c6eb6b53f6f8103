"""docs/own_data.md, followed literally."""

import pathlib
import re
import shlex
import subprocess

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
def test_the_page_can_be_followed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, content in files().items():
        pathlib.Path(name).write_text(content, encoding="utf-8")
    text = PAGE.replace("\\\n", "")
    for program, line in re.findall(r"^ {4}(dsa|cat) (.+)$", text, flags=re.M):
        if program == "cat":
            subprocess.run(f"cat {line}", shell=True, check=True)
        else:
            assert main(shlex.split(line)) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    assert "no text occurs in two splits" in out and "test: test.jsonl, 4 rows" in out
    assert "\nto predict without Keras: dsa export runs/" in out  # last line of `train`
    assert pathlib.Path("exported").is_dir()
    for code in re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.M | re.S):
        exec(code, {})
    printed = capsys.readouterr().out
    assert re.search(r"^(yes|no) \{'no': ", printed, flags=re.M)
    assert re.search(r"^[01]\.\d+$", printed, flags=re.M)  # accuracy of scikit-learn
    absolute = files()["my_pairs.yaml"].replace("  test: test.csv\n", "")
    for split in ("train", "dev"):
        file = f"{tmp_path}/pairs/{split}.jsonl"
        absolute = absolute.replace(f": {split}.csv", f": {file}")
    pathlib.Path("absolute.yaml").write_text(absolute)
    short = ["--set", "training.steps=2", "--data-root", "/"]
    assert main(["train", "absolute.yaml", *short]) == 0
