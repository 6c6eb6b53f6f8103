"""Fetch the security advisories of all locked packages: `make advisories`.

Writes `constraints/advisories.json`, which is read by `make audit` and ignored by Git.
Requires `pip-audit` and a package index with an advisory API, such as pypi.org. If the
index has no such API, like many mirrors, the file is not changed.
"""

import datetime
import json
import subprocess
import sys

from tools.audit import ADVISORIES
from tools.lock_environments import ENVIRONMENTS, FOLDER


def main():
    packages = [package for name in ENVIRONMENTS for package in run_pip_audit(name)]
    if not any("version" in package for package in packages):
        print("error: the package index has no advisory API", file=sys.stderr)
        return 1
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    ADVISORIES.write_text(json.dumps(record(packages, today), indent=1) + "\n")
    return 0


def run_pip_audit(environment):
    """Returns the report of pip-audit on the packages of an environment."""
    command = ["pip-audit", "--format", "json", "--progress-spinner", "off"]
    command += ["--require-hashes", "--disable-pip", "--requirement"]
    completed = subprocess.run(
        [*command, FOLDER / f"{environment}.txt"], capture_output=True, text=True
    )
    if not completed.stdout:
        raise SystemExit(completed.stderr)
    return json.loads(completed.stdout)["dependencies"]


def record(packages, today):
    """Returns the content of the file: date, checked versions and their advisories."""
    checked = sorted((p["name"], p) for p in packages if "version" in p)
    advisories = {
        name: [{"id": v["id"], "fixed_in": v["fix_versions"]} for v in p["vulns"]]
        for name, p in checked
        if p["vulns"]
    }
    versions = {name: p["version"] for name, p in checked}
    return {"asked": today, "packages": versions, "found": advisories}


if __name__ == "__main__":
    sys.exit(main())
