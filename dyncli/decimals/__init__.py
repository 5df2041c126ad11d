"""Decimal text to doubles and back, whole arrays at a time: exact, and without the interpreter lock.

Both directions work on NumPy arrays of integers that hold eight characters each, and in double-double arithmetic; the
few numbers that this cannot decide beyond doubt go through Python's own conversion, so that every result is the one of
`float` and `repr`.
"""
