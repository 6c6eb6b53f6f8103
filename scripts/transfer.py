"""The command `dsa transfer` as a script, with the same arguments."""

from dsa.commands.transfer import main

if __name__ == "__main__":
    raise SystemExit(main())
