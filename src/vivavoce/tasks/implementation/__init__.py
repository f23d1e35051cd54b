"""RD2Bench: formulas and architectures of papers and reports, turned into running code."""
