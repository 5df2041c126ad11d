"""Robots described once and written twice, as URDF and as MJCF with the same numbers."""
