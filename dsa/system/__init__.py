"""What touches the machine: files, folders, processes, terminal, logs, hardware."""
