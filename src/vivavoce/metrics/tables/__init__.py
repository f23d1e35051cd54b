"""Metrics of literature tables: their cells, columns, questions about them and answers in text."""
