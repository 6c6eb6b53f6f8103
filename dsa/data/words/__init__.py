"""Words to ids, and the matrix of vectors aligned with them."""
