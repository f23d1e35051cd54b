"""LEGOBench: papers ranked by their results, from a prompt (RPLM) or from a network (RPG)."""
