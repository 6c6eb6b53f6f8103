"""The command `dsa plot` as a script, with the same arguments."""

from dsa.commands.plot import main

if __name__ == "__main__":
    raise SystemExit(main())
