"""Gradio page with predictions and attention maps."""
