"""The command `dsa report` as a script, with the same arguments."""

from dsa.commands.report import main

if __name__ == "__main__":
    raise SystemExit(main())
