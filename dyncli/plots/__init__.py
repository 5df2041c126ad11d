"""Pictures of results: SVG by our own hand, PNG through matplotlib (extra `plot`), and small ones in text."""
