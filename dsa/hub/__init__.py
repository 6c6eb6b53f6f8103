"""Releases: trained runs that are loaded by a name."""
