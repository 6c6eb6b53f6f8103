"""Runs the command `dsa train` with the same arguments."""

from dsa.commands.train import main

if __name__ == "__main__":
    raise SystemExit(main())
