# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Prove the live working set of one program: trace it, judge the trace, poison what is dead."""

import time
from pathlib import Path
from typing import Any

import msgspec

from laxity.errors import NoVerdict
from laxity.workingset.oracle import Oracle, Ran


class Proof(msgspec.Struct, kw_only=True):
    """What is known of one program; null: the proof ended before that, as `ended` says.

    Attributes:
        key: Of what was proven by what; another key is another proof.
        ended: Why the proof did not come to its end; "" if it did.
        points: Executed instructions that were checked.
        violations: Live bytes that the analysis calls dead; once per instruction, context, cell.
        wrong_values: Instructions whose reported bits of SSA values are not those of live ones.
        poison_same: Whether the program does the same if what is dead is overwritten.
        poisoned_bytes: How many bytes were overwritten, each time counted.
        values_same: Whether it does the same if values become garbage where they die.
        dynamic_byte_points: Live bytes, added up over the points; static and best likewise.
        attribution: The difference between static and dynamic byte-points, by cause.
        step_ns: Time on the wall of each step, on a machine that others may use, too.
    """

    program: str
    key: str
    ended: str = ""
    exit_code: int | None = None
    trace_bytes: int | None = None
    points: int | None = None
    violations: int | None = None
    wrong_values: int | None = None
    impossible_calls: int | None = None
    externals_without_model: list[str] | None = None
    poison_same: bool | None = None
    poisoned_bytes: int | None = None
    values_same: bool | None = None
    values_poisoned: int | None = None
    dynamic_byte_points: int | None = None
    static_byte_points: int | None = None
    best_byte_points: int | None = None
    precision_ratio: float | None = None
    ceiling_ratio: float | None = None
    attribution: dict[str, int] | None = None
    worst_objects: list[dict[str, Any]] | None = None
    step_ns: dict[str, int] = {}

    @property
    def is_proven(self) -> bool:
        """Tell whether everything was tried and nothing contradicts the analysis."""
        return (
            not self.ended
            and bool(self.points)
            and self.violations == 0
            and self.wrong_values == 0
            and self.impossible_calls == 0
            and not self.externals_without_model
            and self.poison_same is True
            and self.values_same is True
        )


def prove(program: str, key: str, bitcode: Path, oracle: Oracle, scratch: Path) -> Proof:
    """Prove one program.

    Args:
        program: Its name.
        key: See `Proof`.
        bitcode: The file that is analysed.
        oracle: Traces and judges.
        scratch: Empty directory; the trace lies in it while it is judged.
    """
    return _Prover(Proof(program=program, key=key), bitcode, oracle, scratch).prove()


class _Prover:
    """One proof on its way."""

    def __init__(self, proof: Proof, bitcode: Path, oracle: Oracle, scratch: Path) -> None:
        self.proof = proof
        self.bitcode = bitcode
        self.oracle = oracle
        self.scratch = scratch
        self.table = scratch / "dead"

    def prove(self) -> Proof:
        """Take the steps one after the other, up to the first that does not end well."""
        try:
            plain = self._run_plain()
            self._trace(plain)
            self._poison(plain)
            self._poison_values(plain)
        except NoVerdict as error:
            self.proof.ended = str(error)
        return self.proof

    def _run_plain(self) -> Ran:
        self.oracle.link(self.bitcode, self.scratch / "plain")
        plain = self._timed("plain", self.scratch / "plain")
        self.proof.exit_code = plain.code
        if plain.code < 0:
            msg = f"plain: ends by signal {-plain.code} as it is"
            raise NoVerdict(msg)
        return plain

    def _trace(self, plain: Ran) -> None:
        instrumented, executable = self.scratch / "traced.bc", self.scratch / "traced"
        trace = self.scratch / "trace"
        self.oracle.instrument(self.bitcode, instrumented)
        self.oracle.link(instrumented, executable, "trace")
        try:
            traced = self._timed("traced", executable, LAXITY_WORKINGSET_TRACE=str(trace))
            if not traced.is_same(plain):
                msg = f"traced: exit code {traced.code}, untraced {plain.code}, or other output"
                raise NoVerdict(f"{msg}: {traced.words}" if traced.words else msg)
            self.proof.trace_bytes = trace.stat().st_size
            started_ns = time.monotonic_ns()
            verdict = self.oracle.check(self.bitcode, trace, ["--poison", self.table])
            self.proof.step_ns["check"] = time.monotonic_ns() - started_ns
        finally:
            trace.unlink(missing_ok=True)
        take_verdict(self.proof, verdict)

    def _poison(self, plain: Ran) -> None:
        executable, amount = self.scratch / "poisoned", self.scratch / "amount"
        self.oracle.link(self.scratch / "traced.bc", executable, "poison")
        poisoned = self._timed(
            "poisoned",
            executable,
            LAXITY_WORKINGSET_POISON=str(self.table),
            LAXITY_WORKINGSET_POISONED=str(amount),
        )
        self.proof.poison_same = poisoned.is_same(plain)
        if amount.exists():
            self.proof.poisoned_bytes = int(amount.read_text())

    def _poison_values(self, plain: Ran) -> None:
        copy, executable = self.scratch / "values.bc", self.scratch / "values"
        self.proof.values_poisoned = self.oracle.poison_values(self.bitcode, copy)
        self.oracle.link(copy, executable, "poison")
        self.proof.values_same = self._timed("values", executable).is_same(plain)

    def _timed(self, step: str, executable: Path, **environment: str) -> Ran:
        ran = self.oracle.run(executable, **environment)
        self.proof.step_ns[step] = ran.wall_ns
        return ran


def take_verdict(proof: Proof, verdict: dict[str, Any]) -> None:
    """Take over what the oracle found."""
    proof.points = verdict["points"]
    proof.violations = verdict["violation_count"]
    proof.wrong_values = verdict["wrong_value_count"]
    proof.impossible_calls = len(verdict["impossible_calls"])
    proof.externals_without_model = verdict["externals_without_model"]
    proof.dynamic_byte_points = verdict["dynamic_byte_points"]
    proof.static_byte_points = verdict["static_byte_points"]
    proof.best_byte_points = verdict["best_byte_points"]
    proof.precision_ratio = verdict.get("precision_ratio")
    proof.ceiling_ratio = verdict.get("ceiling_ratio")
    proof.attribution = verdict.get("attribution")
    proof.worst_objects = verdict.get("worst_objects")
