"""Inverse kinematics: Jacobians and Newton-like runs on batches, closed forms, bounds, and an honest verdict.

This package is float-only and uses NumPy throughout, unlike the recursions beside it: it looks at values, factors
matrices and decides. Arrays are batch last, (..., B).
Lengths are in m, angles in rad; Jacobians have rows linear then angular.
"""
