"""Finding the passages, sentences or papers that matter for a query or a text."""
