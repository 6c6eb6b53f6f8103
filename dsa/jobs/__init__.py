"""Commands in separate processes, on this machine or on a cluster."""
