"""Views of the log: each projection can be deleted and rebuilt by a replay."""
