#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Prove the live working sets of a whole suite, and say how precise they are.

Each program that `laxity workingset --suite` analyses is traced, judged and poisoned; what is done
already stays in the result file. docs/working-set-proof.md explains the columns.
"""

import csv
import hashlib
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import msgspec

from laxity.errors import LaxityError
from laxity.workingset.annotations import read_annotations
from laxity.workingset.bitcode import Form, bitcode_toolchain
from laxity.workingset.bitcode_programs import BitcodeProgram, Place, Prepared, programs_of_suites
from laxity.workingset.oracle import Oracle, find_oracle, oracle_of_target
from laxity.workingset.proof import Proof, prove

NS_PER_S = 1e9
# Traces lie side by side on the disk, and each is judged in a process that may fill the memory.
MOST_AT_A_TIME = 2
CAUSES_SHOWN = 3
REASON_WIDTH = 90
# Ratios are of the same sums of the same run: what differs by more than this differs.
ROUNDING = 1e-9


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The options as click gives them."""

    suite: Path
    programs: str
    form: Form
    target: str | None
    emulator: str
    cflags: str
    annotations: Path | None
    limit_s: float
    out: Path | None
    csv: Path | None
    against: Path | None
    traces: Path | None


class Result(msgspec.Struct, kw_only=True):
    """The result file: what was proven in which form; programs in the order of their names.

    `left_out`: what of the suite is no program, and why.
    """

    schema: int = 1
    suite: str
    form: str
    target: str | None = None
    programs: list[Proof] = []
    left_out: list[dict[str, str]] = []


class ResultFile:
    """A result that is on disk after each program."""

    def __init__(self, path: Path | None, result: Result) -> None:
        self.path = path
        self.result = result
        self.done: dict[str, Proof] = {}
        if path is not None and path.exists():
            old = read_result(path)
            if (old.form, old.target) != (result.form, result.target):
                msg = f"{path}: holds form {old.form}, target {old.target}; name another file"
                raise click.ClickException(msg)
            self.done = {one.program: one for one in old.programs}

    def find(self, program: str, key: str) -> Proof | None:
        """Find a proof that came to its end, of the same program by the same oracle."""
        old = self.done.get(program)
        return old if old is not None and old.key == key and not old.ended else None

    def put(self, proof: Proof) -> None:
        """Keep a proof."""
        self.done[proof.program] = proof
        self.result.programs = sorted(self.done.values(), key=lambda one: one.program)
        if self.path is not None:
            text = msgspec.json.format(msgspec.json.encode(self.result), indent=2)
            new = self.path.with_name(self.path.name + ".new")
            new.write_bytes(text + b"\n")
            new.replace(self.path)


def read_result(path: Path) -> Result:
    """Read a result file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Result)
    except (OSError, msgspec.DecodeError) as error:
        msg = f"{path}: no result of this program ({error}); name another file"
        raise click.ClickException(msg) from error


def key_of(bitcode: Path, oracle: Oracle) -> str:
    """Name what is proven and what proves it: a hash of the program, the tool and its runtimes."""
    digest = hashlib.sha256()
    runtimes = [oracle.archives / f"libworkingset-{name}.a" for name in ("trace", "poison")]
    # Of archives the sizes: the times of their members change with each build.
    for path in (bitcode, oracle.tool):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update(repr([path.stat().st_size for path in runtimes]).encode())
    if oracle.annotations is not None:
        digest.update(oracle.annotations.read_bytes())
    return digest.hexdigest()


def prove_one(program: BitcodeProgram, key: str, oracle: Oracle, traces: Path | None) -> Proof:
    """Prove a program in a directory that is gone afterwards, with its trace."""
    if program.job is not None:
        return Proof(program=program.name, key=key, ended=f"no main, only the job {program.job}")
    with tempfile.TemporaryDirectory(prefix=f"{program.name}-", dir=traces) as scratch:
        return prove(program.name, key, program.bitcode, oracle, Path(scratch))


def prove_all(
    programs: Sequence[BitcodeProgram], oracle: Oracle, results: ResultFile, traces: Path | None
) -> None:
    """Prove what is not proven yet, two at a time, and tell of each as it is done."""
    with ThreadPoolExecutor(MOST_AT_A_TIME) as pool:
        running = []
        for program in programs:
            key = key_of(program.bitcode, oracle)
            old = results.find(program.name, key)
            if old is None:
                running.append(pool.submit(prove_one, program, key, oracle, traces))
            else:
                results.put(old)
        for number, future in enumerate(as_completed(running), 1):
            proof = future.result()
            results.put(proof)
            told = "proven" if proof.is_proven else proof.ended or "violated"
            click.echo(f"{number} of {len(running)}: {proof.program}: {told}", err=True)


def cells_of(proof: Proof) -> list[str]:
    """Return the columns of a program; what is not known is a dash."""
    parts = sorted((proof.attribution or {}).items(), key=lambda item: -item[1])
    whole = sum(amount for _, amount in parts)
    causes = [f"{name} {amount / whole:.0%}" for name, amount in parts[:CAUSES_SHOWN] if amount > 0]
    total_ns = sum(proof.step_ns.values())
    return [
        proof.program,
        shown(proof.points, str),
        shown(proof.violations, str),
        shown(proof.impossible_calls, str),
        shown(proof.poison_same, same),
        shown(proof.values_same, same),
        shown(proof.precision_ratio, "{:.3f}".format),
        shown(proof.ceiling_ratio, "{:.3f}".format),
        f"{total_ns / NS_PER_S:.1f}",
        shown(proof.trace_bytes, lambda size: f"{size / 2**20:.1f}"),
        ", ".join(causes) or "-",
        proof.ended[:REASON_WIDTH],
    ]


HEAD = (
    *("program", "points", "violations", "impossible", "poison", "values", "precision"),
    *("ceiling", "s", "trace MiB", "lost to", "did not end"),
)


def shown(value: Any, as_text: Any) -> str:  # noqa: ANN401 - whatever a column holds
    """Show a value, or that there is none."""
    return "-" if value is None else as_text(value)


def same(is_same: bool) -> str:
    """Name what a poisoned run is, beside the plain one."""
    return "same" if is_same else "DIFFERENT"


def print_table(proofs: Sequence[Proof]) -> None:
    """Print a line for each program."""
    rows = [list(HEAD), *(cells_of(proof) for proof in proofs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    for row in rows:
        texts = [
            text.ljust(width)
            if column in (0, *range(len(HEAD) - 2, len(HEAD)))
            else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(texts).rstrip())


def print_means(proofs: Sequence[Proof]) -> None:
    """Print what holds of all programs together."""
    proven = sum(proof.is_proven for proof in proofs)
    click.echo(f"\n{proven} of {len(proofs)} proven")
    for proof in proofs:
        if not proof.is_proven:
            click.echo(f"  not proven: {proof.program}: {proof.ended or 'violated'}")
    precise = [one for one in proofs if one.precision_ratio is not None]
    if precise:
        ratios = [one.precision_ratio or 0.0 for one in precise]
        ceilings = [one.ceiling_ratio or 0.0 for one in precise]
        click.echo(
            f"mean precision {fmean(ratios):.3f}, mean ceiling {fmean(ceilings):.3f} "
            f"(n = {len(precise)} programs)"
        )
    causes = mean_causes(precise)
    if causes:
        told = ", ".join(f"{name} {share:.1%}" for name, share in causes.items())
        click.echo(f"mean share of what is lost: {told}")


def mean_causes(proofs: Sequence[Proof]) -> dict[str, float]:
    """Average, over the programs that lose anything, the share of each cause."""
    losing = [
        one.attribution for one in proofs if one.attribution and any(one.attribution.values())
    ]
    if not losing:
        return {}
    return {
        name: fmean(parts.get(name, 0) / sum(parts.values()) for parts in losing)
        for name in losing[0]
    }


def compare(proofs: Sequence[Proof], old: Result) -> list[str]:
    """Say how much of the gap between precision and ceiling is closed since an earlier result."""
    pairs = pairs_of(proofs, old)
    if not pairs:
        return ["no program in both"]
    now = fmean(one.precision_ratio or 0.0 for one, _ in pairs)
    then = fmean(one.precision_ratio or 0.0 for _, one in pairs)
    ceiling = fmean(one.ceiling_ratio or 0.0 for _, one in pairs)
    share = f"{(now - then) / (ceiling - then):.1%}" if ceiling > then else "-"
    below = [
        f"{new.program} {was.precision_ratio:.4f} -> {new.precision_ratio:.4f}"
        for new, was in pairs
        if (new.precision_ratio or 0.0) < (was.precision_ratio or 0.0) - ROUNDING
    ]
    return [
        f"mean precision {then:.3f} then, {now:.3f} now; mean ceiling {ceiling:.3f} then; "
        f"share of the gap closed {share}",
        "below: " + (", ".join(below) or "none"),
    ]


def pairs_of(proofs: Sequence[Proof], old: Result) -> list[tuple[Proof, Proof]]:
    """Pair what was judged now with the same program then."""
    before = {one.program: one for one in old.programs if one.precision_ratio is not None}
    return [
        (one, before[one.program])
        for one in proofs
        if one.precision_ratio is not None and one.program in before
    ]


def write_csv(path: Path, proofs: Sequence[Proof]) -> None:
    """Write the columns of the table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEAD, *(cells_of(proof) for proof in proofs)])


def prepare(suite: Path, only: Sequence[str], place: Place) -> Prepared:
    """Make the bitcode of a suite's programs, as `laxity workingset --suite` does."""
    prepared = programs_of_suites([suite], only, place)
    known = {program.name for program in prepared.programs}
    missing = [name for name in only if name not in known]
    if missing:
        told = ", ".join(f"{one.path}: {one.reason}" for one in prepared.left_out) or "none such"
        msg = f"--programs {','.join(missing)}: not among the programs of {suite} ({told})"
        raise click.ClickException(msg)
    return prepared


def prove_suite(options: Options, results: ResultFile, scratch: Path) -> Prepared:
    """Prove what is not proven yet of the programs that were asked for."""
    target, limit_s = options.target, options.limit_s
    if target is None:
        oracle = find_oracle(limit_s)
    else:
        oracle = oracle_of_target(target, options.emulator.split(), scratch, limit_s)
    if options.annotations is not None:
        told = scratch / "annotations.json"
        told.write_bytes(msgspec.json.encode(read_annotations(options.annotations.read_bytes())))
        oracle = replace(oracle, annotations=told)
    toolchain = bitcode_toolchain(options.form, target, options.cflags.split())
    only = [one for one in options.programs.split(",") if one]
    prepared = prepare(options.suite, only, Place(scratch, toolchain))
    results.result.left_out = [
        {"path": one.path, "reason": one.reason} for one in prepared.left_out
    ]
    prove_all(prepared.programs, oracle, results, scratch)
    return prepared


@click.command()
@click.option(
    "--suite", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--programs", default="", metavar="NAME,...", help="These alone.")
@click.option(
    "--form", type=click.Choice([one.value for one in Form]), default="sroa", show_default=True
)
@click.option("--target", metavar="TRIPLE", help="Compile and trace for it.")
@click.option("--emulator", default="", help="Words before a program of the target.")
@click.option("--cflags", default="", help="More words for clang.")
@click.option("--annotations", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--limit-s", default=1800.0, show_default=True, help="Each step may take so long, in seconds."
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The result, as JSON.")
@click.option("--csv", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--against", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="A result."
)
@click.option(
    "--traces",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where traces lie while they are judged.",
)
def main(**given: object) -> None:
    """Prove the live working sets of a suite; exit 1 if a program is not proven."""
    options = msgspec.convert(given, Options)
    old = None if options.against is None else read_result(options.against)
    result = Result(
        suite=options.suite.resolve().name, form=options.form.value, target=options.target
    )
    results = ResultFile(options.out, result)
    with tempfile.TemporaryDirectory(prefix="laxity-proof-", dir=options.traces) as name:
        try:
            prepared = prove_suite(options, results, Path(name))
        except LaxityError as error:
            raise click.ClickException(str(error)) from error
    names = {program.name for program in prepared.programs}
    proofs = [one for one in results.result.programs if one.program in names]
    print_table(proofs)
    print_means(proofs)
    for one in prepared.left_out:
        click.echo(f"  left out: {one.path}: {one.reason}")
    if old is not None:
        click.echo(f"\nagainst {options.against} (n = {len(pairs_of(proofs, old))} in both)")
        click.echo("\n".join(compare(proofs, old)))
    if options.csv is not None:
        write_csv(options.csv, proofs)
    sys.exit(0 if all(one.is_proven for one in proofs) else 1)


if __name__ == "__main__":
    main()
