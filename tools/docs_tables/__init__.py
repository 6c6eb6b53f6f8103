"""Generates the tables of this repository's Markdown pages."""
