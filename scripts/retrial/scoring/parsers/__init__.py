"""Parsers of free-text answers, looked up by name; a parser's module is imported when asked for."""

from importlib import import_module

from retrial.errors import RetrialError
from retrial.scoring.parsers.base import Parsed, Parser

__all__ = ["PARSER_IDS", "Parsed", "Parser", "get"]

PARSER_IDS = ("chiang2023", "robust")


def get(parser_id: str) -> Parser:
    """The parser of that name; only its own module is imported.

    Raises RetrialError for a name that is not in PARSER_IDS.
    """
    if parser_id not in PARSER_IDS:
        known = ", ".join(PARSER_IDS)
        raise RetrialError(f"no parser is called {parser_id!r}; the parsers are: {known}")
    parser: Parser = import_module(f"{__name__}.{parser_id}").PARSER
    return parser
