"""The commands that find an earlier session, prime the present one with it, and keep the registry of sessions."""
