# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What native code and Python share: columns of streams and their codes, of `schema/streams.toml`.

Native code has them from a header that its build makes of the same file.
"""

import re
import tomllib
from enum import EnumMeta, IntEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from typing_extensions import override

if TYPE_CHECKING:
    from enum import _EnumDict

_PACKAGE = Path(__file__).resolve().parents[1]
# Beside the package in an installation, else in the checkout.
_FOLDERS = (_PACKAGE / "_schema", _PACKAGE.parents[1] / "schema")

_Member = TypeVar("_Member")


@cache
def streams_schema() -> dict[str, Any]:
    """Read the columns and codes of streams.

    Returns:
        `codes`: for each kind of code its words, in the order of their numbers, with their meaning
        (empty: the word says it); and each stream with its `columns`.

    Raises:
        FileNotFoundError: The installation is incomplete.
    """
    folder = next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[-1])
    with (folder / "streams.toml").open("rb") as file:
        return tomllib.load(file)


def words_of(codes: str) -> tuple[str, ...]:
    """Name the codes of a kind, in the order of their numbers.

    Args:
        codes: Key of the schema: `crpd_evict`.
    """
    return tuple(streams_schema()["codes"][codes])


class _CodesMeta(EnumMeta):
    """Makes the members of an enumeration from the codes of its name: `SchedKind`, `sched_kind`."""

    @override
    @classmethod
    def __prepare__(  # type: ignore[override]
        metacls,  # noqa: N804 - named as in EnumMeta
        cls: str,
        bases: tuple[type, ...],
        **kwds: Any,
    ) -> "_EnumDict":
        space = super().__prepare__(cls, bases, **kwds)
        key = re.sub(r"(?<!^)([A-Z])", r"_\1", cls).lower()
        for code, word in enumerate(streams_schema()["codes"].get(key, ())):
            space[word.upper()] = code
        return space

    def __getattr__(cls: type[_Member], name: str) -> _Member:
        """Tell type checkers that there are members; those that there are never come here."""
        raise AttributeError(name)


class Codes(IntEnum, metaclass=_CodesMeta):
    """An enumeration whose members are the codes that the schema has under its name."""
