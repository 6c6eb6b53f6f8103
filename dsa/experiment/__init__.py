"""Schema and YAML files of experiments."""
