"""The guard around every scorer, the judge and the parsing of JSON answers."""
