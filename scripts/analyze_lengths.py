"""The command `dsa lengths` as a script, with the same arguments."""

from dsa.commands.lengths import main

if __name__ == "__main__":
    raise SystemExit(main())
