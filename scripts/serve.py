"""The command `dsa serve` as a script, with the same arguments."""

from dsa.commands.serve import main

if __name__ == "__main__":
    raise SystemExit(main())
