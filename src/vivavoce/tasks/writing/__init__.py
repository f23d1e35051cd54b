"""AcademicEval: writing the title, abstract, introduction or related work of a paper."""
