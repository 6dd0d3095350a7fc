# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs of a suite as targets of a profile, prepared as a suite run prepares them."""

import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from laxity.core.signals import Forwarder
from laxity.core.third_party import GUEST_WORKLOAD
from laxity.errors import EXIT_NO_VERDICT, NoVerdict, ToolError
from laxity.profile.document import Target
from laxity.profile.guests import Guests
from laxity.store.manifest import Fallback
from laxity.store.run_directory import open_run, path_part
from laxity.suites.observed import Mode
from laxity.suites.prepare import WORKING, Suite, lay_out, verdict
from laxity.suites.program import Convention, Program
from laxity.suites.stored_results import result_of

# What does nothing, and what its only job comes to: it returns 0, and nothing else is looked at.
_IDLE = "int main(void)\n{\n    return 0;\n}\n"
_IDLE_NAME, _IDLE_END = "idle", "returned:0:-:-:-"


def guests_of(
    suite: Suite, scratch: Path, on_begin: Callable[[str], None], signals: Forwarder
) -> tuple[tuple[Mapping[str, Any], ...], Guests]:
    """Build the programs that may run.

    Args:
        suite: The programs.
        scratch: Where they are built; needed until the profile ends.
        on_begin: Told each program as it is built: "3/57: bsort".
        signals: Of the user.

    Returns:
        Tables of tasks as a spec has them, and what else belongs to them.

    Raises:
        ConfigError: The sources or inputs of a program have changed since it was vetted.
        NoVerdict: None may run.
        KeyboardInterrupt: The user wants an end.
    """
    reasons = {one.path: one.reason for one in suite.missing}
    reasons |= {one.name: why for one in suite.programs if (why := suite.why_not(one))}
    built: list[tuple[Program, Path]] = []
    left = [one for one in suite.programs if one.name not in reasons]
    for number, program in enumerate(left, start=1):
        on_begin(f"{number}/{len(left)}: {program.name}")
        build = scratch / f"{number}-{path_part(program.name)}"
        why = suite.build(program, build, signals)
        if why:
            reasons[program.name] = why
        else:
            built.append((program, build))
    if not built:
        told = "\n".join(f"  {name}: {why}" for name, why in reasons.items())
        msg = f"no program may be profiled:\n{told}"
        raise NoVerdict(msg)
    guests = Guests(
        known_as=tuple(_target(suite, program) for program, _ in built),
        left_out=tuple(
            Fallback(what=name, used="none", reason=why) for name, why in reasons.items()
        ),
        options={
            "suite": str(suite.root),
            "cc": shlex.join(suite.toolchain.cc),
            "link": suite.toolchain.target.link.value,
        },
        parents=suite.parents,
        provide=partial(_provide, built),
        judge=partial(_judge, n_left_out=len(reasons), n_programs=len(reasons) + len(built)),
        idle=_idle(suite, scratch, signals) if suite.is_need and not suite.is_simulated else None,
    )
    return tuple(_task(suite, program, build) for program, build in built), guests


def _target(suite: Suite, program: Program) -> Target:
    vetted = suite.known[program.name]
    return Target(
        workload=program.name,
        args=list(program.given.words),
        isolation=str(vetted.mode),
        sources_sha256=vetted.sources_sha256,
        inputs_sha256=vetted.inputs_sha256,
    )


def _task(suite: Suite, program: Program, build: Path) -> Mapping[str, Any]:
    return {
        "name": program.name,
        "workload": GUEST_WORKLOAD,
        "args": suite.words(program, build),
        "isolation": str(suite.known[program.name].mode),
    }


def _idle(suite: Suite, scratch: Path, signals: Forwarder) -> Mapping[str, Any]:
    """Build a program that does nothing, whose need of memory is the harness's.

    Raises:
        ToolError: It cannot be built.
    """
    source = scratch / f"{_IDLE_NAME}.c"
    source.write_text(_IDLE, encoding="ascii")
    program = Program(
        name=_IDLE_NAME, directory=".", convention=Convention.MAIN, sources=(str(source),)
    )
    build = scratch / _IDLE_NAME
    why = suite.build(program, build, signals)
    if why:
        msg = f"the program that does nothing, for what the harness needs: {why}"
        raise ToolError(msg)
    return {
        "name": _IDLE_NAME,
        "args": suite.words_of(program, build, _IDLE_END),
        "isolation": str(Mode.NONE),
    }


def _provide(built: Sequence[tuple[Program, Path]], target: int) -> None:
    """Lay out the inputs of a program anew: no process finds what another one has left."""
    program, build = built[target]
    if program.given.inputs:
        shutil.rmtree(build / WORKING)
        lay_out(program, build)


def _judge(directory: Path, n_left_out: int, n_programs: int) -> tuple[int, str]:
    """Tell how a profile did whose processes all ended well."""
    runs = [open_run(path) for path in sorted((directory / "runs").iterdir())]
    results = [(run.manifest.tasks[0].name, result_of(run)) for run in runs]
    return verdict(results, [EXIT_NO_VERDICT] * n_left_out, n_programs)
