"""Checks of `make audit`, and the bill of materials."""

import json
from pathlib import Path

import pytest

from tools import audit
from tools.advisories import record
from tools.audit import (
    check_advisories,
    check_licences,
    compare_versions,
    list_materials,
    name_licence,
)

INSTALLED = {"one": ("1.0", "MIT"), "two": ("2.0", "BSD License")}
LOCKED = {"one": "1.0", "two": "2.0"}


def with_licence(licence):
    return list(check_licences({"one": ("1.0", licence)}))


def test_strong_copyleft_and_missing_licences_are_errors():
    assert with_licence("GPL-3.0-only") == ["one 1.0 is under GPL-3.0-only"]
    assert with_licence("GNU Affero General Public License v3")
    assert with_licence("AGPL-3.0") and with_licence("GNU General Public License (GPL)")
    assert with_licence("LGPL-2.1") == [] and with_licence("MPL-2.0 AND MIT") == []
    assert with_licence("GNU Lesser General Public License v3 (LGPLv3)") == []
    assert with_licence("") == ["one 1.0 has no licence metadata"]


def test_the_licence_is_read_from_expression_classifiers_or_first_line():
    class Facts(dict):
        def get_all(self, key):
            return self.get(key)

    classes = ["License :: OSI Approved :: MIT License", "Topic :: Software"]
    assert name_licence("one", Facts({"Classifier": classes})) == "MIT License"
    assert name_licence("one", Facts({"License": "BSD\nand so on"})) == "BSD"
    assert name_licence("one", Facts({"License-Expression": "MIT"})) == "MIT"
    assert name_licence("one", Facts()) == ""


def test_a_version_other_than_the_locked_one_is_an_error():
    assert list(compare_versions(INSTALLED, LOCKED)) == []
    assert list(compare_versions(INSTALLED, {"one": "1.1"})) == [
        "one 1.0 is installed, expected 1.1",
        "two 2.0 is installed, expected None",
    ]


def test_only_advisories_of_the_locked_versions_are_errors(capsys):
    flaw = {"id": "CVE-1", "fix_versions": ["1.1"]}
    answers = [
        {"name": "one", "version": "1.0", "vulns": [flaw]},
        {"name": "two", "version": "1.9", "vulns": [flaw]},
        {"name": "three", "skip_reason": "not on the index"},
    ]
    advisories = record(answers, "2026-11-25")
    assert list(check_advisories(LOCKED, advisories)) == [
        "one 1.0: CVE-1, fixed in 1.1"
    ]
    assert "fetched 2026-11-25, 1 packages not covered" in capsys.readouterr().out


@pytest.fixture
def audit_folder(monkeypatch, tmp_path):
    """An empty `ROOT` and installed packages that match the lock file."""
    monkeypatch.setattr(audit, "ROOT", tmp_path)
    monkeypatch.setattr(audit, "ADVISORIES", tmp_path / "advisories.json")
    monkeypatch.setattr(audit, "read_lock", lambda name: LOCKED)
    monkeypatch.setattr(audit, "read_installed", lambda: INSTALLED)
    return tmp_path


def test_advisories_are_reported_as_unchecked_before_they_are_fetched(
    audit_folder, capsys
):
    assert audit.main(["tensorflow"]) == 0
    assert "advisories: not checked" in capsys.readouterr().out


def test_fetched_advisories_are_checked(audit_folder, capsys):
    flaw = {"id": "CVE-1", "fix_versions": ["1.1"]}
    answers = [{"name": "one", "version": "1.0", "vulns": [flaw]}]
    advisories = json.dumps(record(answers, "2026-11-25"))
    (audit_folder / "advisories.json").write_text(advisories)
    assert audit.main(["tensorflow"]) == 1
    assert "error: one 1.0: CVE-1, fixed in 1.1" in capsys.readouterr().err


def test_ci_does_not_claim_to_check_advisories():
    root = Path(__file__).parents[2]
    assert "constraints/advisories.json" in (root / ".gitignore").read_text()
    assert "advisories" not in (root / ".ci/run").read_text()
    assert "cannot reach an advisory source" in (root / "SECURITY.md").read_text()


def test_the_bill_of_materials_is_in_cyclonedx_format():
    bill = list_materials(INSTALLED)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["name"] == "dsa-nli"
    (one, two) = bill["components"]
    assert one["purl"] == one["bom-ref"] == "pkg:pypi/one@1.0"
    assert two["licenses"] == [{"license": {"name": "BSD License"}}]
    assert bill["dependencies"][0]["dependsOn"] == [one["bom-ref"], two["bom-ref"]]
