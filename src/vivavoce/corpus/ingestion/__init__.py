"""Reading of files and downloads into the batches of a corpus."""
