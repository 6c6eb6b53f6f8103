"""Loading of trained models, and inference with them."""
