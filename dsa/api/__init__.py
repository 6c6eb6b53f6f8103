"""Public API of the package, exported by `dsa`."""
