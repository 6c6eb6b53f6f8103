"""Published tables, their reproduction and comparison."""
