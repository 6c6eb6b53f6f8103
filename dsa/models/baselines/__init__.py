"""The sentence encoders that everyone compares with: CBOW and pooled Bi-LSTMs."""
