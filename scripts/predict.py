"""Runs the command `dsa predict` with the same arguments."""

from dsa.commands.predict import main

if __name__ == "__main__":
    raise SystemExit(main())
