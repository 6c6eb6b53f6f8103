"""Runs the command `dsa submit` with the same arguments."""

from dsa.commands.submit import main

if __name__ == "__main__":
    raise SystemExit(main())
