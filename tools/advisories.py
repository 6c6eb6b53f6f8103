"""Ask the package index for the advisories of every locked package: `make advisories`.

Writes `constraints/advisories.json`, which `make audit` reads. Needs `pip-audit` and an
index that answers it (pypi.org does, many mirrors do not: then nothing is written).
"""

import datetime
import json
import subprocess
import sys

from tools.audit import ADVISORIES
from tools.lock_environments import ENVIRONMENTS, FOLDER


def main():
    answers = [ask(name) for name in ENVIRONMENTS]
    packages = [package for answer in answers for package in answer]
    if not any("version" in package for package in packages):
        print("error: the package index knows no advisories", file=sys.stderr)
        return 1
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    ADVISORIES.write_text(json.dumps(record(packages, today), indent=1) + "\n")
    return 0


def ask(environment):
    """What pip-audit says of the packages of an environment."""
    command = ["pip-audit", "--format", "json", "--progress-spinner", "off"]
    command += ["--require-hashes", "--disable-pip", "--requirement"]
    done = subprocess.run(
        [*command, FOLDER / f"{environment}.txt"], capture_output=True, text=True
    )
    if not done.stdout:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["dependencies"]


def record(packages, today):
    """The content of the file: the day, the versions that were asked for, and what was
    found of them."""
    asked = sorted((p["name"], p) for p in packages if "version" in p)
    found = {
        name: [{"id": v["id"], "fixed_in": v["fix_versions"]} for v in p["vulns"]]
        for name, p in asked
        if p["vulns"]
    }
    versions = {name: p["version"] for name, p in asked}
    return {"asked": today, "packages": versions, "found": found}


if __name__ == "__main__":
    sys.exit(main())
