"""Readers of robot files: XML in, `RobotDescription` out; the root element decides which reader runs."""
