"""The handoff commands: save, load, compare, exchange and keep bundles."""
