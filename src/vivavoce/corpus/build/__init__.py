"""Corpus tables out of imports: merge, roles, references, dates and gates, shard by shard."""
