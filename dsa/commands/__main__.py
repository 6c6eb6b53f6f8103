"""`python -m dsa.commands NAME ...`: as `python -m dsa`."""

from dsa.commands.main import main

raise SystemExit(main())
