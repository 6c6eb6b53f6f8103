"""`python -m dsa NAME ...`: the command `dsa` without its installed script."""

from dsa.commands.main import main

raise SystemExit(main())
