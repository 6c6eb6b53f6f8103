"""The command `dsa explore` as a script, with the same arguments."""

from dsa.commands.explore import main

if __name__ == "__main__":
    raise SystemExit(main())
