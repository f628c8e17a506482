"""The log: segments, events, sources, inbox, domain event types, settings and errors."""

__version__ = "0.1.0"
