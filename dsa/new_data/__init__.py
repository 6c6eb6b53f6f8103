"""Splits and configs of a user's data: `dsa new-data`."""
