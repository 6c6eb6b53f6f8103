"""A trained run as files for programs that have neither this package nor Keras."""
