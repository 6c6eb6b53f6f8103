"""Runs the command `dsa download` with the same arguments."""

from dsa.commands.download import main

if __name__ == "__main__":
    raise SystemExit(main())
