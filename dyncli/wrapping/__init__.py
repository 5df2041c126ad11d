"""Cords that run around spheres and cylinders, over scalars of any kind, as MuJoCo lays them.

choices   conditions as numbers, since a recorded program has no branches
angles    angles from their sines and cosines
circle    a cord in the plane around a circle
inside    a cord in the plane that touches a circle from within
solids    a cord in space
"""
