"""The command `dsa submit` as a script, with the same arguments."""

from dsa.commands.submit import main

if __name__ == "__main__":
    raise SystemExit(main())
