"""`python -m dsa.commands NAME ...`, equivalent to `python -m dsa NAME ...`."""

from dsa.jobs.job_process import die_with_parent

die_with_parent()  # before slow imports

from dsa.commands.main import main  # noqa: E402

raise SystemExit(main())
