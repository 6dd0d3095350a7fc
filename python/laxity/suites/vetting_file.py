# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""vetting.toml: the verdicts of `suite vet`, and of which sources they are."""

import hashlib
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from laxity import __version__
from laxity.core.wording import plain_words
from laxity.errors import ConfigError
from laxity.suites.classify import Vetted
from laxity.suites.observed import Mode
from laxity.suites.program import Convention, Program
from laxity.suites.result import ProgramClass
from laxity.suites.target import NATIVE, Link
from laxity.suites.vetting import VetRequest

# 2: mode none is only for programs all of whose calls are listed.
VETTING_SCHEMA = 2
# What sources include and nobody compiles alone.
_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".inc", ".def"})


class VettedProgram(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One program in vetting.toml. `mode` and `expected` None: it was rejected.

    `expected`: what each job must come to, as the workload `guest` wants it:
    HOW:CODE:CHECK:OUTPUT:FILES, where "-" is not compared. What a manifest said: `size`, `words`
    (the arguments) and `inputs_sha256` (standard input, files and headers); None: it said nothing.
    """

    name: str
    convention: Convention
    sources_sha256: str
    inputs_sha256: str | None = None
    size: str | None = None
    words: list[str] | None = None
    classes: list[ProgramClass]
    verdict: str
    evidence: list[str]
    mode: Mode | None = None
    expected: str | None = None


class Vetting(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """The whole file; `cc`: the compiler and its flags, as a shell would read them.

    `target`, `link`: what guests were built for and how they were linked.
    `manifest_sha256` None: they were vetted without a manifest.
    """

    schema: int
    tool: str
    cc: str
    target: str = NATIVE
    link: Link = Link.DYNAMIC
    jobs_per_mode: int
    manifest_sha256: str | None = None
    program: list[VettedProgram]


def sources_hash(root: Path, program: Program) -> str:
    """Hash the sources of a program, then headers where it looks for them: names, contents."""
    digest = hashlib.sha256()
    for source in (*program.sources, *_headers(root, program)):
        data = (root / source).read_bytes()
        # What is laxity's own may lie elsewhere next time.
        name = Path(source).name if Path(source).is_absolute() else source
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def _headers(root: Path, program: Program) -> list[str]:
    """List what is beside its sources, and in its folders of headers, and is not compiled alone."""
    folders = {str(Path(one).parent) for one in program.sources if not Path(one).is_absolute()}
    folders |= {one for one in program.includes if not Path(one).is_absolute()}
    return sorted(
        str(path.relative_to(root))
        for folder in folders
        for path in (root / folder).glob("*")
        if path.suffix.lower() in _HEADERS and path.is_file()
    )


def inputs_hash(program: Program) -> str | None:
    """Hash what a manifest gives a program to read, and headers to begin with; None: nothing.

    Raises:
        ConfigError: Something cannot be read.
    """
    given = program.given
    paths = [given.stdin] if given.stdin is not None else []
    paths += [*(one.path for one in given.inputs), *program.build.forced]
    digest = hashlib.sha256()
    for path in map(Path, paths):
        try:
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                data = file.read_bytes() if file.is_file() else b""
                digest.update(f"{file.relative_to(path.parent)}\0{len(data)}\0".encode() + data)
        except OSError as error:
            msg = f"{program.name}: its input {path} cannot be read ({error.strerror})"
            raise ConfigError(msg) from error
    return digest.hexdigest() if paths else None


def vetting_to_toml(
    request: VetRequest,
    programs: Sequence[Program],
    vetted: Sequence[Vetted],
    manifest_sha256: str | None = None,
) -> str:
    """Write verdicts as TOML.

    Args:
        request: How they were vetted.
        programs: What was vetted.
        vetted: One verdict per program, in the same order.
        manifest_sha256: Of the manifest that says what they are given; None: there is none.
    """
    # tomli_w is needed only by commands that write TOML.
    import tomli_w  # noqa: PLC0415

    rows = [_row(request.root, program, one) for program, one in zip(programs, vetted, strict=True)]
    document = Vetting(
        schema=VETTING_SCHEMA,
        tool=f"laxity {__version__}",
        cc=shlex.join(request.toolchain.cc),
        target=request.toolchain.target.name,
        link=request.toolchain.target.link,
        jobs_per_mode=request.jobs,
        manifest_sha256=manifest_sha256,
        program=rows,
    )
    table = _stated(msgspec.to_builtins(document))
    table["program"] = [_stated(row) for row in table["program"]]
    return tomli_w.dumps(table)


def _stated(table: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is None: TOML has no word for it."""
    return {key: value for key, value in table.items() if value is not None}


def _row(root: Path, program: Program, vetted: Vetted) -> VettedProgram:
    return VettedProgram(
        name=program.name,
        convention=program.convention,
        sources_sha256=sources_hash(root, program),
        inputs_sha256=inputs_hash(program),
        size=program.size,
        words=list(program.given.words) or None,
        classes=list(vetted.classes),
        verdict=vetted.verdict,
        evidence=list(vetted.evidence),
        mode=vetted.mode,
        expected=vetted.expected,
    )


def read_vetting(path: Path) -> Vetting:
    """Read vetting.toml.

    Raises:
        ConfigError: It cannot be read, or is none.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        vetting = msgspec.convert(document, Vetting)
    except OSError as error:
        msg = f"{path}: cannot be read ({error.strerror}); laxity suite vet writes it"
        raise ConfigError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        msg = f"{path}: {plain_words(error)}; laxity suite vet writes it anew"
        raise ConfigError(msg) from error
    if vetting.schema != VETTING_SCHEMA:
        msg = f"{path}: schema {vetting.schema} is not {VETTING_SCHEMA}; vet again"
        raise ConfigError(msg)
    return vetting
