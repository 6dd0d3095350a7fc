# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""From a vetted program to what the workload `guest` runs: which may run, how each is built."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from laxity.core.signals import Forwarder
from laxity.errors import EXIT_DONE, EXIT_NO_VERDICT, EXIT_VIOLATED, ConfigError
from laxity.suites.jobs import argv_name, provide
from laxity.suites.observed import Mode
from laxity.suites.portable import why_asks_kernel, why_not_portable
from laxity.suites.program import Program, Unplaced
from laxity.suites.result import SuiteResult
from laxity.suites.toolchain import Toolchain
from laxity.suites.vetting import VetRequest, build_guest, imports_of
from laxity.suites.vetting_file import VettedProgram, inputs_hash, sources_hash

# Directory that the jobs of a program work in, beside what it is built to.
WORKING = "cwd"
_GUEST = "guest.so"


@dataclass(frozen=True, slots=True)
class Suite:
    """A vetted checkout, and what is run of it.

    Attributes:
        root: The checkout.
        toolchain: Builds it.
        programs: In order.
        missing: Programs that a manifest names and that cannot be had.
        known: What vetting found, by name.
        vetting: The verdicts as they were named.
        parents: The run that holds them, if it is one.
        has_batches: A job is to be several calls.
        is_simulated: They run on a simulated platform.
        is_need: Their need of memory is measured.
    """

    root: Path
    toolchain: Toolchain
    programs: Sequence[Program]
    missing: Sequence[Unplaced]
    known: Mapping[str, VettedProgram]
    vetting: str
    parents: tuple[str, ...]
    has_batches: bool
    is_simulated: bool
    is_need: bool = False

    def why_not(self, program: Program) -> str:
        """Say why a program may not run; "": it may.

        Raises:
            ConfigError: Its sources or inputs are not those that were vetted.
        """
        vetted = self.known.get(program.name)
        if vetted is None:
            return "not vetted"
        if vetted.sources_sha256 != sources_hash(self.root, program):
            msg = f"{program.name}: its sources have changed since it was vetted; vet again"
            raise ConfigError(msg)
        if vetted.inputs_sha256 != inputs_hash(program):
            msg = f"{program.name}: its input files have changed since it was vetted; vet again"
            raise ConfigError(msg)
        if vetted.mode is None or vetted.expected is None:
            return vetted.verdict
        if self.has_batches and vetted.mode is not Mode.NONE:
            return (
                f"--calls: in mode {vetted.mode} state is taken back after each call; only mode "
                "none has batches"
            )
        if self.is_simulated:
            return why_not_portable(program, vetted)
        if self.is_need and vetted.mode in {Mode.FORK, Mode.EXEC}:
            return (
                f"mode {vetted.mode}: each job is a process, and memory need is that of a task's "
                "own; no cheaper mode is right"
            )
        return ""

    def words(self, program: Program, build: Path) -> list[str]:
        """Return the words of the workload `guest` (native/guests/guest_hooks.c), but for its mode.

        Args:
            program: That may run.
            build: Where it is built.
        """
        return self.words_of(program, build, self.known[program.name].expected or "")

    def words_of(self, program: Program, build: Path, expected: str) -> list[str]:
        """Return them of a program that was not vetted; `expected`: what a job comes to."""
        words = [str(build / _GUEST), argv_name(program), program.convention.value]
        given = program.given
        words += [expected, given.stdin or "", given.output_filter]
        # Without inputs any empty directory will do, and the spec of the run can be run again.
        return [*words, str(build / WORKING) if given.inputs else "", *given.words]

    def build(self, program: Program, build: Path, signals: Forwarder) -> str:
        """Build what the workload runs, and lay out what its jobs read.

        Returns:
            Why it cannot be; "": it is there.

        Raises:
            ConfigError: An input cannot be read.
            KeyboardInterrupt: The user wants an end.
        """
        lay_out(program, build)
        building = VetRequest(self.root, build, self.toolchain, 1)
        guest = build_guest(building, program)
        if signals.has_received:
            # A terminal's signal ends the compiler as well: that it failed says nothing then.
            raise KeyboardInterrupt
        if isinstance(guest, str):
            # Behind the reason stands what to do, which is not for a simulated platform.
            why = guest.partition(";")[0] if self.is_simulated else guest
            return f"cannot be built: {why}"
        return why_asks_kernel(imports_of(building, program)) if self.is_simulated else ""


def lay_out(program: Program, build: Path) -> None:
    """Make the directory that jobs work in, with what they read.

    Raises:
        ConfigError: An input cannot be read.
    """
    working = build / WORKING
    working.mkdir(parents=True)
    provide(program, working)


def verdict(
    results: Iterable[tuple[str, SuiteResult]], left_out: Sequence[int], n_programs: int
) -> tuple[int, str]:
    """Tell how programs did whose runs all ended well: wrong jobs, then what nobody knows.

    Args:
        results: By the names of programs; one may have several.
        left_out: Exit codes of programs that were left out.
        n_programs: Of which there are so many.
    """
    wrong: Counter[str] = Counter()
    unknown: list[str] = []
    for name, result in results:
        # A job that died did not end as a fresh process does.
        if n_wrong := (result.wrong or 0) + result.cut_off:
            wrong[name] += n_wrong
        if result.right is None and result.finished:
            unknown.append(name)
    if wrong:
        named = ", ".join(wrong)
        least = "at least " if unknown else ""
        were = "job was" if wrong.total() == 1 else "jobs were"
        return (
            EXIT_VIOLATED,
            f"{least}{wrong.total()} {were} not like a fresh process: {named}",
        )
    if unknown:
        named = ", ".join(dict.fromkeys(unknown))
        return (
            EXIT_NO_VERDICT,
            f"whether jobs of {named} were right is not known: rows were not kept",
        )
    if left_out:
        code = left_out[0] or EXIT_NO_VERDICT
        return code, f"{len(left_out)} of {n_programs} programs were left out"
    return EXIT_DONE, ""
