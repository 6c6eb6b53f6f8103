"""What the papers' released codes do otherwise, a file for each group of codes."""
