"""The only code that asks which backend runs, or that knows Keras's private parts."""
