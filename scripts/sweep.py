"""The command `dsa sweep` as a script, with the same arguments."""

from dsa.commands.sweep import main

if __name__ == "__main__":
    raise SystemExit(main())
