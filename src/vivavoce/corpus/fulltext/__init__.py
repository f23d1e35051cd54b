"""Full-text index of the papers of a corpus."""
