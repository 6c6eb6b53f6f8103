"""Writes the tables of this repository's own Markdown pages."""
