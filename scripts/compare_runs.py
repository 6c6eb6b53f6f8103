"""The command `dsa compare` as a script, with the same arguments."""

from dsa.commands.compare import main

if __name__ == "__main__":
    raise SystemExit(main())
