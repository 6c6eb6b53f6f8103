"""`python -m dsa.bulk FOLDER RUN --shards A B`: a job of `dsa encode --shard-rows` and
`dsa predict --shard-rows`."""

from dsa.jobs.parent import die_with_parent

die_with_parent()  # before anything that takes long

from dsa.bulk.worker import main  # noqa: E402

raise SystemExit(main())
