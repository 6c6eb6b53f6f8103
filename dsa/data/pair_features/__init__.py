"""Numbers that describe a pair of sentences, with statistics of the training rows."""
