"""Splits a user's data and writes configs for it: `dsa new-data`."""
