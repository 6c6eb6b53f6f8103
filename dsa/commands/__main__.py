"""`python -m dsa.commands NAME ...`: as `python -m dsa`."""

from dsa.jobs.job_process import die_with_parent

die_with_parent()  # before anything that takes long

from dsa.commands.main import main  # noqa: E402

raise SystemExit(main())
