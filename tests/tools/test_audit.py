"""What `make audit` says of licences, advisories and versions, and its list."""

import json

from tools.advisories import record
from tools.audit import (
    ADVISORIES,
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


def test_a_licence_that_binds_the_whole_program_is_refused():
    assert with_licence("GPL-3.0-only") == ["one 1.0 is under GPL-3.0-only"]
    assert with_licence("GNU Affero General Public License v3")
    assert with_licence("AGPL-3.0") and with_licence("GNU General Public License (GPL)")
    assert with_licence("LGPL-2.1") == [] and with_licence("MPL-2.0 AND MIT") == []
    assert with_licence("GNU Lesser General Public License v3 (LGPLv3)") == []
    assert with_licence("") == ["one 1.0 states no licence"]


def test_the_licence_is_the_expression_or_the_class_or_the_first_line():
    class Facts(dict):
        def get_all(self, key):
            return self.get(key)

    classes = ["License :: OSI Approved :: MIT License", "Topic :: Software"]
    assert name_licence("one", Facts({"Classifier": classes})) == "MIT License"
    assert name_licence("one", Facts({"License": "BSD\nand so on"})) == "BSD"
    assert name_licence("one", Facts({"License-Expression": "MIT"})) == "MIT"
    assert name_licence("one", Facts()) == ""


def test_another_version_than_the_locked_one_is_named():
    assert list(compare_versions(INSTALLED, LOCKED)) == []
    assert list(compare_versions(INSTALLED, {"one": "1.1"})) == [
        "one 1.0 is installed, locked is 1.1",
        "two 2.0 is installed, locked is None",
    ]


def test_an_advisory_of_a_locked_version_is_named_and_of_another_one_is_not(capsys):
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
    assert "asked 2026-11-25, without 1 packages" in capsys.readouterr().out


def test_the_file_of_advisories_is_of_the_form_that_is_read():
    advisories = json.loads(ADVISORIES.read_text())
    assert {*advisories} == {*record([], None)}


def test_the_list_is_one_of_cyclonedx():
    bill = list_materials(INSTALLED)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["name"] == "dsa-nli"
    (one, two) = bill["components"]
    assert one["purl"] == one["bom-ref"] == "pkg:pypi/one@1.0"
    assert two["licenses"] == [{"license": {"name": "BSD License"}}]
    assert bill["dependencies"][0]["dependsOn"] == [one["bom-ref"], two["bom-ref"]]
