"""The style matrix: fictional papers in many styles, with the truth known by construction."""
