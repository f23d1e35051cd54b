"""Targets, demonstrations and inputs of the writing tasks: everything free of Inspect."""
