"""The command line: the only part of the package that prints and exits."""
