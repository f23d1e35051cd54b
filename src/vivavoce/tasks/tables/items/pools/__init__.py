"""Papers that a model is given: those of the table, and distractors that look like them."""
