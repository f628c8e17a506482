"""Tailing and host adapters: from files on disk to lines in the log, from records to domain events."""
