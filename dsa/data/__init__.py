"""From corpus files to batches of token ids, one step a module.

corpora -> tokenizer -> prepared -> vocabulary, embeddings -> batches -> feed
"""
