"""Recursions on a `Tree`, each written once over scalars of any kind (see `dyncli.scalars`).

Arguments: `q` a sequence of nq scalars (m, rad, quaternions), `v` and `a` of nv (m/s, rad/s and per second), forces in
N and N m. A scalar may be an array over a batch; results are lists of scalars of the same kind. Algorithms trust
their input (shapes are checked once, in `dyncli.states`), store nothing and change nothing.
"""
