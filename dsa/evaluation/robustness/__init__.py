"""Sets that show what a model of inference has learned besides its corpus."""
