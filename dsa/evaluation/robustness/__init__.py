"""Evaluation of natural-language inference models on robustness test sets."""
