"""Examples to tokens, rows and splits."""
