"""What stands on a sentence encoder, by task."""
