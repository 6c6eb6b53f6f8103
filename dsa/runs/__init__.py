"""Run folders: files, records, names and outputs."""
