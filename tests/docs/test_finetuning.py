"""docs/finetuning.md, followed literally."""

import csv
import pathlib
import re
import shlex

import pytest

from dsa.commands.main import main
from tests.docs.test_own_data import files

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/finetuning.md").read_text(encoding="utf-8")
TEMPLATE = (ROOT / "configs/own/fine_tuned.yaml").read_text(encoding="utf-8")


def test_the_template_is_that_of_the_page():
    lines = [line for line in TEMPLATE.splitlines(True) if not line.startswith("#")]
    (shown,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.M | re.S)
    assert shown == "".join(lines)


@pytest.mark.exhaustive
def test_the_page_can_be_followed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = list(csv.reader(files()["pairs.csv"].splitlines()))
    for name, part in (("train", rows[1:15]), ("dev", rows[15:])):
        with open(f"{name}.csv", "w", encoding="utf-8") as file:
            csv.writer(file).writerows([rows[0], *part])
    pathlib.Path("fine_tuned.yaml").write_text(TEMPLATE, encoding="utf-8")
    commands = re.findall(r"^ {4}dsa (.+)$", PAGE.replace("\\\n", ""), flags=re.M)
    for line in commands:
        if "fine_tuned.yaml" in line:
            assert main(shlex.split(line)) == 0, capsys.readouterr().err
    assert "started from snli" in pathlib.Path("runs/balanced/log.txt").read_text()
    capsys.readouterr()
    for code in re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.M | re.S):
        exec(code, {})
    printed = capsys.readouterr().out
    assert re.search(r"^threshold 0\.\d+$", printed, flags=re.M)
    assert re.search(r"^area under the ROC curve [01]\.\d+$", printed, flags=re.M)
