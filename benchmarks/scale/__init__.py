"""What the pipeline needs at growing sizes, measured stage by stage; see docs/scale.md."""
