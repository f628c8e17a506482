"""`journal` and `python -m journal`: picks the hook path or the command line before anything else is imported."""

import sys


def main() -> int:
    """Run the words of this process; a hook ends it here."""
    if sys.argv[1:2] == ["hook"] and "--help" not in sys.argv:
        from cli.hooks import edge

        edge.run(sys.argv[2:])
    from cli.main import main as command_line

    return command_line()


if __name__ == "__main__":
    sys.exit(main())
