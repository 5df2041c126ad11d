"""Drawings of the report, one a file: facts in, SVG markup out; colours come from the page's style sheet."""
