"""What a task adds to a sentence encoder: hidden layer and logits."""
