"""The entrance of the library: what `dsa` exports."""
