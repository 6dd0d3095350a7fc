# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Files that a user has written and an option names."""

from pathlib import Path

from laxity.core.units import exact_size
from laxity.errors import ConfigError


def read_input(path: Path, most_bytes: int, what: str) -> bytes:
    """Read a file whole; a mistyped path to a huge one fills no memory.

    Args:
        path: As the user named it.
        most_bytes: No such file is larger.
        what: That it is to be, "a manifest".

    Raises:
        ConfigError: It cannot be read, or is too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except IsADirectoryError as error:
        spec = path / "spec.toml"
        of_run = f"; this run has {spec}" if spec.is_file() else ""
        msg = f"{path}: is a directory; name {what}{of_run}"
        raise ConfigError(msg) from error
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror}); correct the path"
        raise ConfigError(msg) from error
    if len(data) > most_bytes:
        msg = f"{path}: larger than {exact_size(most_bytes)}; this is not {what}"
        raise ConfigError(msg)
    return data
