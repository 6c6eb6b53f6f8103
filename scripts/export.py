"""The command `dsa export` as a script, with the same arguments."""

from dsa.commands.export import main

if __name__ == "__main__":
    raise SystemExit(main())
