"""The terminal: commands, their log and progress, Ctrl-C, numbers and names in text."""
