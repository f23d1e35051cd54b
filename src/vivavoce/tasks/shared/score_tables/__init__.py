"""Which method has which score, read by rules alone out of the tables and sentences of papers."""
