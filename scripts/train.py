"""The command `dsa train` as a script, with the same arguments."""

from dsa.commands.train import main

if __name__ == "__main__":
    raise SystemExit(main())
