"""Releases of the package, and runs on a Hugging Face hub."""
