"""`python -m dsa.inference.bulk FOLDER RUN --shards A B`: a job of bulk work."""

from dsa.jobs.job_process import die_with_parent

die_with_parent()  # before anything that takes long

from dsa.inference.bulk.worker import main  # noqa: E402

raise SystemExit(main())
