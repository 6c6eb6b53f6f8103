"""Looking into trained models: what they attend to, and where they err."""
