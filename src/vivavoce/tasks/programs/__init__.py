"""Programs that models write: found in answers, run in a sandbox, their results read."""
