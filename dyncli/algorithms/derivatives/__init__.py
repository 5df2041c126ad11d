"""Derivatives of inverse and forward dynamics and of integration steps, by closed forms and by five other methods.

Everywhere in the tangent space: a column belongs to a degree of freedom and says what happens when it moves q as its
unit velocity does, so that matrices are nv wide whatever the joints' coordinates are. `methods.Derivative` is the way
in.
"""
