"""Ways to make a table with a model: in one answer, paper by paper, in two stages, in rounds."""
