"""Work that models do beside the one under test: wording demands, answering by a table."""
