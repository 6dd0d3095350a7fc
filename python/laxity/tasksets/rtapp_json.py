# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The JSON of rt-app's task sets, with what its parser allows beyond JSON.

That is comments, a comma before a closing bracket, and keys that stand there several times: a task
whose events are run, lock, run is written so, and their order is what counts. A table is therefore
its pairs.
"""

import json
import re
from dataclasses import dataclass
from typing import NoReturn

from laxity.core.wording import plain_words
from laxity.errors import ConfigError

# A text in quotes is matched first, so that what looks like a comment within one stays. What is not
# closed goes on to the end: it is passed over once, and the JSON reader refuses it.
_TEXT_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.?)*+(?:"|\Z)|/\*.*?(?:\*/|\Z)|//[^\n]*', re.DOTALL)
_TEXT_OR_LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.?)*+(?:"|\Z)|,(?=\s*[}\]])', re.DOTALL)
_MAX_SHOWN = 63
_SHORTEST_COMMENT = len("/**/")


@dataclass(frozen=True, slots=True)
class JsonTable:
    """An object; `pairs` in the order of the file, a key as often as it stands there."""

    pairs: tuple[tuple[str, object], ...]


def read_rtapp_json(data: bytes) -> JsonTable:
    """Read the text of a file.

    Args:
        data: Content of the file.

    Raises:
        ConfigError: Not such a text, or not an object.
    """
    try:
        text = _TEXT_OR_COMMENT.sub(_blank_comment, data.decode("utf-8"))
        text = _TEXT_OR_LAST_COMMA.sub(_blank_comma, text)
        document = json.loads(
            text,
            object_pairs_hook=lambda pairs: JsonTable(tuple(pairs)),
            parse_constant=_refuse_constant,
        )
    except (UnicodeDecodeError, RecursionError) as error:
        msg = f"{plain_words(error)}; name a task set of rt-app"
        raise ConfigError(msg) from error
    except ValueError as error:  # of which JSONDecodeError is one; or a number of 4300 digits
        msg = f"not JSON: {error}; correct it"
        raise ConfigError(msg) from error
    if not isinstance(document, JsonTable):
        msg = 'no object; write { "tasks": { ... } }'
        raise ConfigError(msg)
    return document


def quoted(text: str) -> str:
    """Show foreign text in ASCII on one line, its beginning if long: for messages and comments."""
    return json.dumps(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}...")


def _blank_comment(match: re.Match[str]) -> str:
    """Keep texts; of comments keep the line ends, so that messages name the right line."""
    found = match[0]
    is_whole = found.startswith("//") or (len(found) >= _SHORTEST_COMMENT and found.endswith("*/"))
    return re.sub(r"[^\n]", " ", found) if is_whole and not found.startswith('"') else found


def _blank_comma(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith('"') else " "


def _refuse_constant(name: str) -> NoReturn:
    msg = f"{name} is no number"
    raise ValueError(msg)
