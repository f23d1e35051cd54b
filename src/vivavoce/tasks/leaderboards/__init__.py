"""LEGOBench, LGPLM: methods and their scores for a task, dataset and metric, read in papers."""
