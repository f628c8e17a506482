"""The command line: parses, calls, prints; the only package that wires the others together."""
