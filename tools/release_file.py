"""Write a run as a release file with a card, and print what the registry needs.

python tools/release_file.py runs/mini/dsa/seed-13 dsa/hub/mini.zip --terms Apache-2.0
"""

import argparse
import hashlib
from pathlib import Path

from dsa.hub.release_file import write_release
from dsa.system.command_line import command


@command
def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", help="run folder")
    parser.add_argument("file", type=Path, help=".zip file that is written")
    parser.add_argument("--terms", required=True, help="of its use, and of its data")
    options = parser.parse_args(arguments)
    write_release(options.file, options.run, options.terms)
    content = options.file.read_bytes()
    print(f"{options.file}: {len(content):,} bytes")
    print(f"sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    raise SystemExit(main())
