"""Runs the command `dsa evaluate` with the same arguments."""

from dsa.commands.evaluate import main

if __name__ == "__main__":
    raise SystemExit(main())
