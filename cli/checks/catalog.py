"""All checks, in the order in which they are run and shown; each is described in docs/reference/health.md."""

from cli.checks import Check, hooks, hosts, index, storage, views

CHECKS: tuple[Check, ...] = (
    Check("freshness", "what the hosts wrote is in the log", hosts.freshness),
    Check("retention", "nothing that a host is about to delete is missing from the log", hosts.retention),
    Check("lost", "no file vanished before its last byte was read", hosts.lost),
    Check("permissions", "everything below the home is the user's alone", storage.permissions),
    Check("settings", "config.toml parses and has no unknown keys", storage.settings),
    Check("integrity", "the databases have no damaged pages", storage.integrity),
    Check("chain", "no event was changed since it was written", storage.chain),
    Check("journal_mode", "readers do not wait for the writer", storage.journal_mode),
    Check("space", "the WAL is short and the disk has room", storage.space),
    Check("views", "the views are of this log and this program", views.fit),
    Check("projection_errors", "every record was taken by a decoder and by the projections", views.projection_errors),
    Check("unknown_kinds", "every kind of record is known", views.unknown_kinds),
    Check("index", "the index for search by meaning is whole, of the model in force, and of nothing that was forgotten", index.sound),
    Check("client_versions", "no client is newer than what was tested", hosts.client_versions),
    Check("inbox", "old days of the inbox have gone into the log", storage.inbox),
    Check("hooks", "installed hooks are whole, and the newest session of each host ran them", hooks.run_lately),
    Check("hook_errors", "no hook found the home unwritable", hooks.kept_aside),
    Check("backups", "what exists nowhere else has a copy", storage.backups),
)
