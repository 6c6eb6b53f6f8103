"""Evaluation of frozen sentence vectors on other tasks."""
