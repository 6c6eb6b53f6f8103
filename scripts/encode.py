"""The command `dsa encode` as a script, with the same arguments."""

from dsa.commands.encode import main

if __name__ == "__main__":
    raise SystemExit(main())
