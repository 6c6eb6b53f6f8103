"""The Gradio page that predicts and draws attention maps."""
