"""Files, folders, locks, processes, terminal, logs and hardware."""
