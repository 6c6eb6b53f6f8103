"""Runs the command `dsa reproduce` with the same arguments."""

from dsa.commands.reproduce import main

if __name__ == "__main__":
    raise SystemExit(main())
