"""Sets that show what a model of natural-language inference does beside its corpus."""
