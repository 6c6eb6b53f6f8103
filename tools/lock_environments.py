"""Write the files of `constraints/`: every package of an environment, with its version
and the SHA-256 of its files, for Linux and macOS and each Python that is supported.

    make constraints                      (what setup.py needs now, else as it is)
    make constraints UPGRADE=--upgrade    (the newest versions)

Needs `uv`. Installed by pip, in this order:

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
# The extras of each environment, and what else it needs.
ENVIRONMENTS = {
    "tensorflow": (["tensorflow", "test"], []),
    # the last line of cuDNN that knows Pascal's cards: docs/scaling.md
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
    parser.add_argument("names", nargs="*", metavar="NAME", help="environments (all)")
    parser.add_argument("--upgrade", action="store_true", help="to the newest versions")
    options = parser.parse_args(arguments)
    FOLDER.mkdir(exist_ok=True)
    for name in options.names or ENVIRONMENTS:
        lock(name, options.upgrade)
        print(f"{FOLDER.name}/{name}.txt: {len(read_lock(name))} packages")


def lock(name, upgrade=False):
    """Write the file of an environment. Versions that are in it stay if they can."""
    extras, others = ENVIRONMENTS[name]
    path = FOLDER / f"{name}.txt"
    command = ["uv", "pip", "compile", "setup.py", "-", "--quiet", "--universal"]
    command += ["--generate-hashes", "--no-annotate", "--no-header"]
    command += ["--python-version", OLDEST, "--output-file", str(path)]
    command += [part for extra in extras for part in ("--extra", extra)]
    subprocess.run(
        [*command, *(["--upgrade"] if upgrade else [])],
        input="\n".join(["setuptools>=64", *others]),  # which builds the package
        text=True,
        check=True,
        cwd=ROOT,
    )
    # an index of one machine has no place in a file for all
    lines = re.sub(r"^--(extra-)?index-url.*\n", "", path.read_text(), flags=re.M)
    path.write_text(HEADER.format(name) + lines)


def read_lock(name):
    """The packages of an environment: `{name: version}`."""
    text = (FOLDER / f"{name}.txt").read_text()
    return dict(re.findall(r"^([\w.-]+)==([\w.+!-]+)", text, flags=re.M))


if __name__ == "__main__":
    sys.exit(main())
