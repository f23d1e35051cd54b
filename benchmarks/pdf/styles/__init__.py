"""The style matrix: fictional papers typeset in many styles, with the truth known by construction."""
