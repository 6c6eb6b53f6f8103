"""Numbers that describe a pair of sentences, and what training rows teach them."""
