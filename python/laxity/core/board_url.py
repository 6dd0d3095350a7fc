# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where a run happens, if not here: `ssh://[USER@]HOST[:PORT][/DIRECTORY]`."""

import re
from dataclasses import dataclass

from typing_extensions import override

from laxity.errors import ConfigError

FORM = "ssh://USER@HOST[:PORT][/DIRECTORY]"
FORM_WITH_DIRECTORY = "ssh://USER@HOST[:PORT]/DIRECTORY"
# Nothing here may begin with "-": ssh would take it for an option.
_NAME = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
_HOST = rf"{_NAME}|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?\]"
_URL = re.compile(
    rf"ssh://(?:(?P<user>{_NAME})@)?(?P<host>{_HOST})(?::(?P<port>[0-9]{{1,5}}))?(?P<path>/.*)?",
    re.ASCII,
)
_MAX_PORT = 65535
_MAX_CHARACTERS = 1024


@dataclass(frozen=True, slots=True)
class BoardUrl:
    """A board that ssh reaches; None: as the user's ssh knows the host.

    `directory` is where the bundle lies there; None: below the user's home directory.
    """

    host: str
    user: str | None = None
    port: int | None = None
    directory: str | None = None

    @override
    def __str__(self) -> str:
        """Write the URL."""
        user = "" if self.user is None else f"{self.user}@"
        port = "" if self.port is None else f":{self.port}"
        return f"ssh://{user}{self.host}{port}{self.directory or ''}"


def parse_board_url(text: str) -> BoardUrl:
    """Read the value of `--on`.

    Raises:
        ConfigError: It is no URL of this form, or of another scheme.
    """
    where = f'"{text[:_MAX_CHARACTERS]}"'
    scheme, separator, rest = text.partition("://")
    if not separator:
        msg = f"{where}: no scheme; write {FORM}"
        raise ConfigError(msg)
    if scheme != "ssh":
        msg = f"{where}: unknown scheme {scheme}; this build has {FORM}"
        raise ConfigError(msg)
    if ":" in rest.partition("/")[0].rpartition("@")[0]:
        msg = f"{where}: holds a password; give the board your ssh key and leave it out"
        raise ConfigError(msg)
    match = _URL.fullmatch(text)
    port = int(match["port"]) if match and match["port"] else None
    if match is None or len(text) > _MAX_CHARACTERS or not text.isprintable():
        msg = f"{where}: cannot be read; write {FORM}"
        raise ConfigError(msg)
    if port is not None and not 0 < port <= _MAX_PORT:
        msg = f"{where}: port {port} is not between 1 and {_MAX_PORT}; correct it"
        raise ConfigError(msg)
    directory = (match["path"] or "").rstrip("/") or None
    return BoardUrl(match["host"], match["user"], port, directory)
