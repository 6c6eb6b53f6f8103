"""Write the lock files in `constraints/`: versions and SHA-256 hashes of the packages
of each environment, for Linux and macOS and all supported Python versions.

    make constraints                      (after a change of setup.py)
    make constraints UPGRADE=--upgrade    (newest versions)

Requires `uv`. To install an environment with pip:

    pip install --require-hashes -r constraints/tensorflow.txt
    pip install --no-deps --no-build-isolation -e .
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "constraints"
# Extras and additional requirements of each environment.
ENVIRONMENTS = {
    "tensorflow": (["tensorflow", "test"], []),
    # last cuDNN series with support for Pascal GPUs, see docs/scaling.md
    "tensorflow-gpu": (["tensorflow-gpu", "test"], ["nvidia-cudnn-cu12==9.10.2.21"]),
    "jax": (["jax", "test"], []),
    "torch": (["torch", "test"], []),
    "cluster": (["tensorflow", "cluster", "test"], []),
    "serve": (["tensorflow", "serve", "test"], []),
    "hub": (["tensorflow", "hub", "datasets", "test"], []),
    "docs": (["docs"], []),
    "page": (["tensorflow", "explore", "test-page"], []),
}
HEADER = "# The environment `{}`, written by `make constraints`.\n"
OLDEST = "3.11"


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="environments (default: all)"
    )
    parser.add_argument(
        "--upgrade", action="store_true", help="use the newest versions"
    )
    options = parser.parse_args(arguments)
    FOLDER.mkdir(exist_ok=True)
    for name in options.names or ENVIRONMENTS:
        lock(name, options.upgrade)
        print(f"written: {FOLDER.name}/{name}.txt")


def lock(name, upgrade=False):
    """Writes the lock file of an environment. Keeps locked versions if possible."""
    extras, requirements = ENVIRONMENTS[name]
    path = FOLDER / f"{name}.txt"
    command = ["uv", "pip", "compile", "setup.py", "-", "--quiet", "--universal"]
    command += ["--generate-hashes", "--no-annotate", "--no-header"]
    command += ["--python-version", OLDEST, "--output-file", str(path)]
    for extra in extras:
        command += ["--extra", extra]
    if upgrade:
        command.append("--upgrade")
    subprocess.run(
        command,
        input="\n".join(["setuptools>=64", *requirements]),  # builds the package
        text=True,
        check=True,
        cwd=ROOT,
    )
    # remove index URLs from the local pip configuration
    lines = re.sub(r"^--(extra-)?index-url.*\n", "", path.read_text(), flags=re.M)
    path.write_text(HEADER.format(name) + lines)


def read_lock(name):
    """Returns the locked packages of an environment for this Python and system.

    Returns: `{name: version}`.
    """
    from packaging.markers import Marker  # not required by `make constraints`

    text = (FOLDER / f"{name}.txt").read_text()
    lines = re.findall(r"^([\w.-]+)==([\w.+!-]+)(?: ; (.*?))? \\$", text, flags=re.M)
    return {
        package: version
        for package, version, marker in lines
        if not marker or Marker(marker).evaluate()
    }


if __name__ == "__main__":
    sys.exit(main())
