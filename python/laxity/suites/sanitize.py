# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What sanitizers find in one job of a program: where, and in words.

AddressSanitizer and UndefinedBehaviorSanitizer are in a build of its own; valgrind's memcheck,
which alone tells uninitialised memory, runs one without them. Findings are evidence: they neither
choose a mode nor reject a program. What is not freed when a process ends is no finding.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec

from laxity.errors import PlatformError
from laxity.suites.classify import Vetted
from laxity.suites.jobs import Guest, argv_name, provide
from laxity.suites.program import Convention, Program, libraries_of
from laxity.suites.result import ProgramClass
from laxity.suites.toolchain import Layout, Toolchain

MEMORY_ERROR = ProgramClass.MEMORY_ERROR
UNINITIALISED = ProgramClass.UNINITIALISED
UNDEFINED = ProgramClass.UNDEFINED
# What evidence of a sanitizer begins with.
TOLD = tuple(f"{kind} at " for kind in (MEMORY_ERROR, UNINITIALISED, UNDEFINED))

# Under memcheck everything takes up to fifty times as long, under AddressSanitizer twice.
_SLOWDOWN = 50
# A loop that goes wrong is wrong at one place; a reader needs no more of them.
_PLACES_MAX = 5
_ASAN_OPTIONS = (
    "halt_on_error=0:detect_leaks=0:exitcode=0:handle_abort=0:allocator_may_return_null=1"
)
_UBSAN_OPTIONS = "print_stacktrace=0:halt_on_error=0"
_ASAN_HEAD = re.compile(r"^==\d+==ERROR: AddressSanitizer: (\S+)")
# It could not begin: address space or memory is limited.
_ASAN_FAILED = re.compile(r"^==\d+==ERROR: (AddressSanitizer failed to \S+)", re.MULTILINE)
_ASAN_ACCESS = re.compile(r"^(READ|WRITE) of size (\d+)")
_ASAN_FRAME = re.compile(r"^\s+#\d+ 0x[0-9a-f]+ (?:in )?(?:\S+ )?(/.+?):(\d+)(?::\d+)?$")
_UBSAN_LINE = re.compile(r"^(\S.*?):(\d+):\d+: runtime error: (.+)$")
_NO_PLACE = "a place without a line"
_UNINITIALISED_KINDS = frozenset({"UninitCondition", "UninitValue", "SyscallParam"})
# Memcheck's words of an access, an address or a block that is not the program's.
_MEMORY_KINDS = frozenset(
    {"InvalidRead", "InvalidWrite", "InvalidJump", "InvalidFree", "MismatchedFree", "Overlap"}
)

# A program whose functions its users call has no main; this one does what a harness would.
_DRIVERS = {
    Convention.INIT_MAIN_RETURN: """
void {0}_init(void);
void {0}_main(void);
int {0}_return(void);
int main(void) {{ {0}_init(); {0}_main(); (void){0}_return(); return 0; }}
""",
    Convention.HOOKS: """
int benchmark_init(int, void **);
void benchmark_execution(int, void **);
void benchmark_teardown(int, void **);
int main(int argc, char **argv)
{{
    void **words = (void **)(argv + 1);
    if (benchmark_init(argc - 1, words) < 0) {{ return 1; }}
    benchmark_execution(argc - 1, words);
    benchmark_teardown(argc - 1, words);
    return 0;
}}
""",
    Convention.EMBENCH: """
void initialise_benchmark(void);
int benchmark(void);
int verify_benchmark(int);
int main(void)
{{ initialise_benchmark(); (void)verify_benchmark(benchmark()); return 0; }}
""",
}


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that a sanitizer found, at one place.

    Attributes:
        kind: `MEMORY_ERROR`, `UNINITIALISED` or `UNDEFINED`.
        place: FILE:LINE, or that there is none.
        words: What is done there.
    """

    kind: ProgramClass
    place: str
    words: str

    @property
    def sentence(self) -> str:
        """As evidence."""
        return f"{self.kind} at {self.place}: {self.words}"


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found; `failure`: why one of the tools told nothing, "" if both did."""

    found: tuple[Finding, ...]
    failure: str = ""


def require_sanitizers(toolchain: Toolchain) -> None:
    """Check that the compiler can build with sanitizers.

    Raises:
        PlatformError: It cannot.
    """
    with tempfile.TemporaryDirectory(prefix="laxity-sanitize-") as scratch:
        source = Path(scratch, "empty.c")
        source.write_text("int main(void) { return 0; }\n", encoding="ascii")
        built = _build(_Sources(toolchain, [source], []), Path(scratch), Layout.SANITIZED)
    if isinstance(built, str):
        msg = (
            f"--sanitize: {toolchain.cc[0]} cannot build with -fsanitize=address,undefined"
            f" ({built}); install its sanitizers (Debian: libasan8 libubsan1), or leave it out"
        )
        raise PlatformError(msg)


def find(toolchain: Toolchain, root: Path, build: Path, guest: Guest, timeout_s: float) -> Findings:
    """Run one job of a program under each sanitizer, each in a process of its own.

    Args:
        toolchain: What compiles it.
        root: The suite.
        build: Where to build.
        guest: Program, words, input; its object is not used.
        timeout_s: What one job may take without sanitizers, in seconds.
    """
    program = guest.program
    sources = [root / one for one in program.sources]
    if not program.has_main:
        sources.append(_driver(program, build))
    includes = [root / one for one in program.includes]
    made = _Sources(toolchain, sources, includes, program.build.flags, libraries_of(program))
    found: list[Finding] = []
    failures: list[str] = []
    for layout, run in ((Layout.SANITIZED, _run_sanitized), (Layout.DEBUGGED, _run_memcheck)):
        built = _build(made, build, layout)
        if isinstance(built, str):
            failures.append(f"does not build for {layout}: {built}")
            continue
        new, failure = run(built, guest, root, timeout_s * _SLOWDOWN)
        found += new
        failures += [failure] if failure else []
    own = tuple(dict.fromkeys(_relative(one, root) for one in found))
    return Findings(_without_doubles(own), "; ".join(failures))


def with_findings(vetted: Vetted, findings: Findings) -> Vetted:
    """Add findings to a verdict: classes and evidence, and no other mode."""
    told = [one.sentence for one in findings.found]
    if findings.failure:
        told.append(f"sanitizers: {findings.failure}")
    classes = dict.fromkeys([*vetted.classes, *(one.kind for one in findings.found)])
    if findings.found:
        classes.pop(ProgramClass.CLEAN, None)
    return msgspec.structs.replace(
        vetted, classes=tuple(classes), evidence=(*vetted.evidence, *told)
    )


def _driver(program: Program, build: Path) -> Path:
    path = build / "driver.c"
    path.write_text(_DRIVERS[program.convention].format(program.prefix), encoding="ascii")
    return path


@dataclass(frozen=True, slots=True)
class _Sources:
    """What an executable is made of, and by what."""

    toolchain: Toolchain
    files: Sequence[Path]
    includes: Sequence[Path]
    flags: Sequence[str] = ()
    libraries: Sequence[str] = ()


def _build(made: _Sources, build: Path, layout: Layout) -> Path | str:
    """Build an executable; in words: why it cannot be."""
    objects: list[Path] = []
    for number, source in enumerate(made.files):
        to = build / f"{layout}-{number}.o"
        outcome = made.toolchain.compile(source, to, made.includes, layout, made.flags)
        if not outcome.is_done:
            return outcome.first_error
        objects.append(to)
    to = build / str(layout)
    outcome = made.toolchain.link_own(objects, to, made.libraries, layout)
    return to if outcome.is_done else outcome.first_error


def _run(
    argv: Sequence[str], guest: Guest, executable: Path | str, timeout_s: float
) -> tuple[str, str, int]:
    """Run where its inputs are.

    Returns:
        What it said on standard error, why it ended early, and its code; negative: by a signal.
    """
    settings = {"ASAN_OPTIONS": _ASAN_OPTIONS, "UBSAN_OPTIONS": _UBSAN_OPTIONS, "LC_ALL": "C"}
    source = guest.stdin.open("rb") if guest.stdin else subprocess.DEVNULL
    with tempfile.TemporaryDirectory(prefix="laxity-sanitize-") as scratch:
        provide(guest.program, Path(scratch))
        try:
            done = subprocess.run(
                argv,
                executable=executable,
                cwd=scratch,
                capture_output=True,
                timeout=timeout_s,
                check=False,
                stdin=source,
                env={**os.environ, **settings},
            )
        except subprocess.TimeoutExpired as error:
            text = (error.stderr or b"").decode(errors="replace")
            return text, f"did not end within {timeout_s:g} s", 0
        finally:
            if not isinstance(source, int):
                source.close()
    return done.stderr.decode(errors="replace"), "", done.returncode


def _run_sanitized(
    executable: Path, guest: Guest, root: Path, timeout_s: float
) -> tuple[list[Finding], str]:
    argv = [argv_name(guest.program), *guest.program.given.words]
    text, failure, code = _run(argv, guest, executable, timeout_s)
    found = [*read_asan(text, root), *read_ubsan(text)]
    if not found and not failure:
        failure = why_nothing_told(text, code)
    return found, f"AddressSanitizer: {failure}" if failure else ""


def why_nothing_told(text: str, code: int) -> str:
    """Say why AddressSanitizer told nothing, other than that there is nothing; empty: it ran.

    Args:
        text: What was written to standard error.
        code: How the program ended; negative: by a signal.
    """
    if failed := _ASAN_FAILED.search(text):
        return f"{failed[1].removeprefix('AddressSanitizer ')} what it needs (ulimit -v?)"
    return f"ended by signal {-code}, and nothing was told" if code < 0 else ""


def _run_memcheck(
    executable: Path, guest: Guest, root: Path, timeout_s: float
) -> tuple[list[Finding], str]:
    report = executable.with_name("memcheck.xml")
    tool = shutil.which("valgrind") or "valgrind"
    file = str(report).replace("%", "%%")  # as in jobs.py
    argv = ["valgrind", "-q", "--leak-check=no", "--xml=yes", f"--xml-file={file}"]
    _, failure, _ = _run(
        [*argv, str(executable), *guest.program.given.words], guest, tool, timeout_s
    )
    if failure or not report.exists():
        return [], f"memcheck: {failure or 'wrote no report'}"
    return read_memcheck(report.read_text(encoding="utf-8", errors="replace"), root), ""


def read_asan(text: str, root: Path) -> list[Finding]:
    """Read reports of AddressSanitizer.

    Args:
        text: What was written to standard error.
        root: The suite; the first frame of it is the place.
    """
    found: list[Finding] = []
    what, access, frames = "", "", list[str]()
    # Each report's first stack, that of the access, ends with an empty line.
    for line in [*text.splitlines(), ""]:
        if head := _ASAN_HEAD.match(line):
            what, access, frames = head[1].rstrip(":"), "", []
        elif what and (size := _ASAN_ACCESS.match(line)):
            access = f", {size[1].lower()} of {size[2]} B"
        elif what and (frame := _ASAN_FRAME.match(line)):
            frames.append(f"{frame[1]}:{frame[2]}")
        elif what and not line:
            found.append(Finding(MEMORY_ERROR, _place_of(frames, root), f"{what}{access}"))
            what = ""
    return found


def read_ubsan(text: str) -> list[Finding]:
    """Read lines of UndefinedBehaviorSanitizer."""
    matches = (_UBSAN_LINE.match(line) for line in text.splitlines())
    return [Finding(UNDEFINED, f"{one[1]}:{one[2]}", one[3]) for one in matches if one]


def read_memcheck(text: str, root: Path) -> list[Finding]:
    """Read memcheck's XML, as far as it goes: of a program that was killed the end is missing."""
    found: list[Finding] = []
    for error in _errors(text):
        kind = error.findtext("kind", "")
        words = error.findtext("what") or error.findtext("xwhat/text") or kind
        place = _place_of(_frames(error), root)
        if kind in _UNINITIALISED_KINDS:
            found.append(Finding(UNINITIALISED, place, words))
        elif kind in _MEMORY_KINDS:
            found.append(Finding(MEMORY_ERROR, place, words))
    return found


def _errors(text: str) -> list[ET.Element]:
    whole: list[ET.Element] = []
    source = io.BytesIO(text.encode())
    with contextlib.suppress(ET.ParseError):
        whole.extend(one for _, one in ET.iterparse(source) if one.tag == "error")  # noqa: S314 - ours
    return whole


def _frames(error: ET.Element) -> list[str]:
    """List the places of an error's first stack, the innermost first."""
    frames: list[str] = []
    for frame in error.iterfind("stack[1]/frame"):
        directory, name, line = (frame.findtext(tag) for tag in ("dir", "file", "line"))
        if name and line:
            frames.append(f"{directory}/{name}:{line}" if directory else f"{name}:{line}")
    return frames


def _place_of(frames: Sequence[str], root: Path) -> str:
    """Choose the innermost place of the suite: the C library's own lines tell nobody anything."""
    inside = [place for place in frames if place.startswith(f"{root}{os.sep}")]
    return next(iter([*inside, *frames]), _NO_PLACE)


def _relative(one: Finding, root: Path) -> Finding:
    return Finding(one.kind, one.place.removeprefix(f"{root}{os.sep}"), one.words)


def _without_doubles(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Keep the first finding of each kind and place, and not too many of a kind.

    Both tools see an access beyond a heap block; it is one.
    """
    first: dict[tuple[str, str], Finding] = {}
    for one in found:
        first.setdefault((one.kind, one.place), one)
    kept: list[Finding] = []
    for one in first.values():
        if sum(other.kind == one.kind for other in kept) < _PLACES_MAX:
            kept.append(one)
    return tuple(kept)
