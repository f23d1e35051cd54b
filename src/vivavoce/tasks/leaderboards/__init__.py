"""LEGOBench, LGPLM: methods and scores for a task, dataset and metric, extracted from papers."""
