"""Building of corpus tables from imports: merge, roles, references, dates and gates."""
