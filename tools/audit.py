"""Check the packages of an environment, and list them: `make audit`.

    .venv/bin/python -m tools.audit tensorflow

Three checks, with exit code 1 if one fails:

- installed are the versions of `constraints/<environment>.txt`;
- each package has a licence that goes with Apache-2.0 (one that binds whole programs,
  such as the GPL, does not), or a reason below;
- none has an advisory in `constraints/advisories.json`, which `make advisories` writes
  from what the package index answers.

The list is a software bill of materials in CycloneDX 1.6, in `build/`.
"""

import argparse
import json
import re
import sys
from importlib import metadata

from tools.lock_environments import ENVIRONMENTS, FOLDER, ROOT, read_lock

ADVISORIES = FOLDER / "advisories.json"
OWN = "dsa-nli"
# Packages that state no licence, or several of which one may be chosen.
LICENCES = {
    "docutils": "BSD-2-Clause",  # one file of tools is under the GPL: not used
    "namex": "Apache-2.0",  # its repository's LICENSE
}
REFUSED = re.compile(r"\bA?GPL|Affero|(?<!Lesser )General Public License", re.I)
ACCEPTED: dict[str, str] = {}  # advisories that do not concern us: why


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("environment", choices=ENVIRONMENTS)
    name = parser.parse_args(arguments).environment
    locked = read_lock(name)
    installed = find_installed()
    problems = [
        *compare_versions(installed, locked),
        *check_licences(installed),
        *check_advisories(locked, json.loads(ADVISORIES.read_text())),
    ]
    path = ROOT / "build" / f"sbom-{name}.cdx.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(list_materials(installed), indent=1) + "\n")
    print(f"{path.relative_to(ROOT)}: {len(installed)} packages")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return int(bool(problems))


def find_installed():
    """What is installed beside the project itself: `{name: (version, licence)}`."""
    found = {}
    for package in metadata.distributions():
        name = normalize(package.name)
        if name not in (OWN, "pip"):
            found[name] = package.version, name_licence(name, package.metadata)
    return dict(sorted(found.items()))


def normalize(name):
    """The one spelling of a package's name: `Typing_Extensions` is
    `typing-extensions`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_licence(name, facts):
    """The licence that a package states, in words or as an expression; "" for none."""
    if name in LICENCES:
        return LICENCES[name]
    classes = [c for c in facts.get_all("Classifier") or [] if c.startswith("License")]
    words = ", ".join(c.rpartition(" :: ")[2] for c in classes)
    line = (facts.get("License") or "").strip().partition("\n")[0]
    return facts.get("License-Expression") or words or line


def compare_versions(installed, locked):
    """One line for each package that is installed in another version than locked."""
    for name, (version, _) in installed.items():
        if locked.get(name) != version:
            yield f"{name} {version} is installed, locked is {locked.get(name)}"


def check_licences(installed):
    """One line for each package without a licence, or with one that is refused."""
    for name, (version, licence) in installed.items():
        if not licence:
            yield f"{name} {version} states no licence"
        elif REFUSED.search(licence):
            yield f"{name} {version} is under {licence}"


def check_advisories(locked, advisories):
    """One line for each advisory of a locked package. Prints how old the answer is, and
    how many packages it does not know."""
    asked, known = advisories["asked"], advisories["packages"]
    unknown = [name for name, version in locked.items() if known.get(name) != version]
    print(f"advisories: asked {asked or 'never'}, without {len(unknown)} packages")
    for name, found in advisories["found"].items():
        for one in found if name in locked and name not in unknown else []:
            if one["id"] not in ACCEPTED:
                fixed = ", ".join(one["fixed_in"]) or "no version"
                yield f"{name} {locked[name]}: {one['id']}, fixed in {fixed}"


def list_materials(installed):
    """The bill of materials as CycloneDX has it."""
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
