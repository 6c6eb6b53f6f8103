"""Planning, execution and comparison of several runs."""
