"""The only code that asks which backend runs, or that uses Keras's private parts."""
