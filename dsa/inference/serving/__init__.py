"""A trained run that answers over HTTP, and what the explorer page shares with it."""
