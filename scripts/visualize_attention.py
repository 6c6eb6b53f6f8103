"""Runs the command `dsa visualize` with the same arguments."""

from dsa.commands.visualize import main

if __name__ == "__main__":
    raise SystemExit(main())
