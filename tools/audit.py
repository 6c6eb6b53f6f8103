"""Check the packages of an environment and write their bill of materials: `make audit`.

    .venv/bin/python -m tools.audit tensorflow

The exit code is 0 if

- the installed versions match `constraints/<environment>.txt`;
- every package has a licence compatible with Apache-2.0 (not the GPL), or an entry in
  `LICENCES`;
- no package has an advisory in `constraints/advisories.json`. The file is written by
  `make advisories`. It is missing in CI, which has no access to an advisory source.

The software bill of materials is written to `build/` in CycloneDX 1.6.
"""

import argparse
import json
import re
import sys
from importlib import metadata

from tools.lock_environments import ENVIRONMENTS, FOLDER, ROOT, read_lock

ADVISORIES = FOLDER / "advisories.json"
OWN = "dsa-nli"
# Licences of packages without licence metadata or with several licences.
LICENCES = {
    "docutils": "BSD-2-Clause",  # except for one GPL file, a tool that is not used
    "namex": "Apache-2.0",  # LICENSE file in its repository
}
INCOMPATIBLE = re.compile(r"\bA?GPL|Affero|(?<!Lesser )General Public License", re.I)
ACCEPTED: dict[str, str] = {}  # advisory id -> reason for ignoring it


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("environment", choices=ENVIRONMENTS)
    name = parser.parse_args(arguments).environment
    locked = read_lock(name)
    installed = read_installed()
    problems = [
        *compare_versions(installed, locked),
        *check_licences(installed),
    ]
    if ADVISORIES.exists():
        problems += check_advisories(locked, json.loads(ADVISORIES.read_text()))
    else:
        print("advisories: not checked, run `make advisories` first")
    path = ROOT / "build" / f"sbom-{name}.cdx.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(list_materials(installed), indent=1) + "\n")
    print(f"{path.relative_to(ROOT)}: {len(installed)} packages")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return int(bool(problems))


def read_installed():
    """Returns the installed packages except this one: `{name: (version, licence)}`."""
    packages = {}
    for package in metadata.distributions():
        name = normalize(package.name)
        if name not in (OWN, "pip"):
            packages[name] = package.version, name_licence(name, package.metadata)
    return dict(sorted(packages.items()))


def normalize(name):
    """Returns the normalized package name: `typing-extensions` for
    `Typing_Extensions`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_licence(name, package_metadata):
    """Returns the licence in the metadata of a package, or "" for no licence."""
    if name in LICENCES:
        return LICENCES[name]
    expression = package_metadata.get("License-Expression")
    if expression:
        return expression
    classifiers = package_metadata.get_all("Classifier") or []
    licences = [c.rpartition(" :: ")[2] for c in classifiers if c.startswith("License")]
    if licences:
        return ", ".join(licences)
    return (package_metadata.get("License") or "").strip().partition("\n")[0]


def compare_versions(installed, locked):
    """Yields an error for each package whose version differs from the lock file."""
    for name, (version, _) in installed.items():
        if locked.get(name) != version:
            yield f"{name} {version} is installed, expected {locked.get(name)}"


def check_licences(installed):
    """Yields an error for each package with a missing or incompatible licence."""
    for name, (version, licence) in installed.items():
        if not licence:
            yield f"{name} {version} has no licence metadata"
        elif INCOMPATIBLE.search(licence):
            yield f"{name} {version} is under {licence}"


def check_advisories(locked, advisories):
    """Yields an error for each advisory of a locked package.

    Prints the date of the advisories and the number of packages without coverage.
    """
    date, versions = advisories["asked"], advisories["packages"]
    covered = {
        name for name, version in locked.items() if versions.get(name) == version
    }
    missing = len(locked) - len(covered)
    print(f"advisories: fetched {date}, {missing} packages not covered")
    for name, entries in advisories["found"].items():
        if name not in covered:
            continue
        for entry in entries:
            if entry["id"] not in ACCEPTED:
                fixed = ", ".join(entry["fixed_in"]) or "no version"
                yield f"{name} {locked[name]}: {entry['id']}, fixed in {fixed}"


def list_materials(installed):
    """Returns the bill of materials in CycloneDX format."""
    parts = []
    for name, (version, licence) in installed.items():
        address = f"pkg:pypi/{name}@{version}"
        part = {"type": "library", "bom-ref": address, "name": name}
        part |= {"version": version, "purl": address}
        parts.append(part | {"licenses": [{"license": {"name": licence}}]})
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": OWN,
                "name": OWN,
                "version": metadata.version(OWN),
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": parts,
        "dependencies": [{"ref": OWN, "dependsOn": [p["bom-ref"] for p in parts]}],
    }


if __name__ == "__main__":
    sys.exit(main())
