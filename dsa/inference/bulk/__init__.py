"""Files of any size to sentence vectors or predictions, shard by shard."""
