"""How a table is made with a model: in one answer, paper by paper, in two stages, in rounds."""
