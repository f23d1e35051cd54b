"""Files and downloads read into the batches of a corpus."""
