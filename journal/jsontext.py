"""JSON for the hook path: CPython's own scanner and quoting without the `json` package, whose regular expressions take
half the time of a bare interpreter to import.
"""

from _json import encode_basestring_ascii as _quoted
from _json import make_scanner


class _Context:
    """What the scanner asks of its caller: the standard library's defaults."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(name: str) -> float:
        """Return NaN and the infinities as the standard library does."""
        return float(name.replace("Infinity", "inf"))


_WHITE = " \t\n\r"
_scan = make_scanner(_Context)  # type: ignore[arg-type]  # it reads attributes, as of any decoder


def loads(text: str) -> object:
    """Return the value that *text* is.

    Raises: ValueError: it is no JSON. RecursionError: it is nested too deep.
    """
    text = text.strip(_WHITE)
    try:
        value, end = _scan(text, 0)
    except StopIteration as error:
        raise ValueError(f"no JSON at character {error.value}") from None
    except SystemError:
        # The scanner takes its error's class from `json.decoder`, and where that is not loaded it has none to raise.
        raise ValueError("no JSON: it ends or breaks off inside a value") from None
    if end != len(text):
        raise ValueError(f"more than one value, at character {end}")
    return value


def dumps(value: object) -> str:
    """Return *value* as compact ASCII JSON; numbers that JSON has no word for become null.

    Raises: TypeError: it holds something else than dict, list, str, int, float, bool and None.
    """
    if isinstance(value, str):
        return str(_quoted(value))
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if value - value == 0 else "null"
    if isinstance(value, list | tuple):
        return "[" + ",".join([dumps(item) for item in value]) + "]"
    if isinstance(value, dict):
        return "{" + ",".join([f"{_quoted(str(key))}:{dumps(item)}" for key, item in value.items()]) + "}"
    raise TypeError(f"no JSON for {type(value).__name__}")
