"""Entry point of `python -m dsa`, which is equivalent to the command `dsa`."""

from dsa.commands.main import main

raise SystemExit(main())
