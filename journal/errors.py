"""Every error that the journal raises on purpose, as one tree.

JournalError(message, hint)
├─ SettingInvalid       a setting, an argument or a root cannot be used          exit 2
├─ LogError             the log cannot be used                                   exit 3
│  ├─ LogBusy           another process holds the writer lock or the database
│  ├─ LogTooNew         the file was written by a newer program
│  ├─ LogCorrupt        the database or its hash chain is damaged
│  └─ LogFull           the disk or the quota is full
├─ NotFound             what was asked for does not exist                        exit 4
├─ Ambiguous            a prefix fits several ids; `candidates` lists them       exit 4
├─ SourceError          a transcript cannot be read                              exit 5
├─ ProjectionError      a view cannot take an event                              exit 6
├─ IndexUnusable        search by meaning cannot be had                          exit 7
└─ Interrupted          the user pressed Ctrl-C                                  exit 130
"""


class JournalError(Exception):
    """An error with a hint: the next thing to do, where possible a command to run."""

    exit_code = 1
    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class SettingInvalid(JournalError):
    """A setting, an argument or a root cannot be used."""

    exit_code = 2


class LogError(JournalError):
    """The log cannot be used."""

    exit_code = 3


class LogBusy(LogError):
    """Another process holds the writer lock or the database."""

    retryable = True


class LogTooNew(LogError):
    """The database was written by a newer version of the program."""


class LogCorrupt(LogError):
    """The database or its hash chain is damaged."""


class LogFull(LogError):
    """The disk or the quota is full."""

    retryable = True


class NotFound(JournalError):
    """What was asked for does not exist."""

    exit_code = 4


class Ambiguous(JournalError):
    """A prefix fits several ids."""

    exit_code = 4

    def __init__(self, message: str, *, candidates: list[str], hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.candidates = candidates


class SourceError(JournalError):
    """A transcript cannot be read."""

    exit_code = 5


class ProjectionError(JournalError):
    """A view cannot take an event."""

    exit_code = 6


class IndexUnusable(JournalError):
    """Search by meaning cannot be had: no model, other weights than the pinned ones, or a damaged index."""

    exit_code = 7


class Interrupted(JournalError):
    """The user pressed Ctrl-C; what was committed stays."""

    exit_code = 130
    retryable = True
