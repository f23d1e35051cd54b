"""Readers of published results, tables, surveys and questions."""
