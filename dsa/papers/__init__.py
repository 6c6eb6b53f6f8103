"""Reproduction of the tables of papers, and comparison with the published numbers."""
