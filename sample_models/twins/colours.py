"""The paint of the sample robots: name to red, green, blue, alpha."""

COLOURS = {
    "graphite": "0.25 0.27 0.30 1",
    "aluminium": "0.85 0.86 0.88 1",
    "orange": "0.93 0.48 0.13 1",
}
