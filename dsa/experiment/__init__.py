"""Experiments: their schema, their YAML files and their run folders."""
