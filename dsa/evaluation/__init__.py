"""How good a trained model is."""
