# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Plant one small fault at a time into what computes, and count which faults the tests catch.

A fault exchanges an operator, a limit or min and max. Faults are drawn by a checksum of their place
and the seed: the same code gives the same faults, on every commit. Each is planted into a copy of
python/; then the tests of the same room that import the module run, or the whole folder where none
does; --golden adds tests/golden, which reads what users read, and takes minutes for a survivor.

    .venv/bin/python -P tools/mutants.py --count 100 --out build/mutants.txt
    .venv/bin/python -P tools/mutants.py --count 100 --before build/mutants-of-another-commit.txt

Exit codes: 0 done, 1 a fault that was caught before survives, 2 usage, 3 the tests fail without a
fault.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOMS = ("bounds", "statistics", "costs")
PACKAGE = Path("python/laxity")
CAUGHT, SURVIVED, UNENDED = "caught", "survived", "unended"
EXCHANGED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
EXCHANGED_CALLS = {"min": "max", "max": "min", "all": "any", "any": "all"}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: its file, and the source of the file with it; `identity` is stable over commits."""

    file: Path
    line: int
    identity: str
    source: str

    def drawn_at(self, seed: int) -> str:
        """Return its place in the order of the draw."""
        return hashlib.sha256(f"{seed} {self.identity}".encode()).hexdigest()


def mutated(node: ast.AST) -> ast.AST | None:
    """Return an expression with a fault, or None where none of our faults applies."""
    fault = copy.deepcopy(node)
    if isinstance(fault, ast.Compare) and type(fault.ops[0]) in EXCHANGED:
        fault.ops[0] = EXCHANGED[type(fault.ops[0])]()  # type: ignore[call-overload]
    elif isinstance(fault, ast.BinOp | ast.BoolOp) and type(fault.op) in EXCHANGED:
        fault.op = EXCHANGED[type(fault.op)]()  # type: ignore[assignment]
    elif isinstance(fault, ast.Call) and ast.unparse(fault.func) in EXCHANGED_CALLS:
        fault.func = ast.Name(EXCHANGED_CALLS[ast.unparse(fault.func)], ast.Load())
    elif isinstance(fault, ast.Constant) and type(fault.value) is int:
        fault.value += 1
    else:
        return None
    return fault


def expressions(tree: ast.AST, name: str = "") -> Iterator[tuple[str, ast.expr]]:
    """Walk over the expressions of functions, with the qualified name of their function.

    Annotations are not computed with, and a message may say what it likes.
    """
    for field, value in ast.iter_fields(tree):
        children = value if isinstance(value, list) else [value]
        for child in children:
            if not isinstance(child, ast.AST) or field in {"annotation", "returns"}:
                continue
            if isinstance(child, ast.Raise | ast.JoinedStr | ast.Slice):
                continue
            is_scope = isinstance(child, ast.FunctionDef | ast.ClassDef)
            inner = f"{name}.{child.name}" if is_scope else name  # type: ignore[attr-defined]
            if name and isinstance(child, ast.expr):
                yield name, child
            yield from expressions(child, inner)


def faults_of(file: Path) -> Iterator[Fault]:
    """Plant every fault into one file, each alone."""
    source = file.read_text(encoding="utf-8")
    lines = source.encode().splitlines(keepends=True)
    seen: Counter[str] = Counter()
    for name, node in expressions(ast.parse(source)):
        fault = mutated(node)
        if fault is None or node.end_lineno is None or node.end_col_offset is None:
            continue
        label = f"{file}:{name}: {ast.unparse(node)} -> {ast.unparse(fault)}"
        seen[label] += 1
        start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
        end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
        whole = source.encode()
        planted = whole[:start] + b"(" + ast.unparse(fault).encode() + b")" + whole[end:]
        yield Fault(file, node.lineno, f"{label} #{seen[label]}", planted.decode())


def tests_of(file: Path) -> list[str]:
    """Name the tests of a module: files of its room that import it, that of its own name first.

    The folder of the module's tests stands for a module that no test imports.
    """
    module = ".".join(file.with_suffix("").relative_to("python").parts)
    package, _, stem = module.rpartition(".")
    imports = re.compile(
        rf"^(?:from {re.escape(module)} import|import {re.escape(module)}\b"
        rf"|from {re.escape(package)} import [^#]*\b{stem}\b)",
        re.MULTILINE,
    )
    folder = Path("tests") / file.parent.relative_to(PACKAGE)
    if not folder.is_dir():
        folder = folder.parent
    found = [
        path
        for path in sorted(folder.rglob("test_*.py"))
        if imports.search(path.read_text(encoding="utf-8"))
    ]
    found.sort(key=lambda path: path.stem != f"test_{stem}")
    return [str(path) for path in found or [folder]]


def outcome_of_tests(tests: Sequence[str], sources: Path, limit_s: float) -> str:
    """Run tests against a copy of python/; tests that need long or the machine are left out."""
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["-o", f"pythonpath={sources} .", "-m", "not slow and not serial", *tests]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=limit_s
        )
    except subprocess.TimeoutExpired:
        return UNENDED
    # 5: no test is left.
    return SURVIVED if done.returncode in {0, 5} else CAUGHT


def outcome_of(fault: Fault, limit_s: float, more_tests: Sequence[str]) -> str:
    """Plant one fault into a copy of python/ and run the tests that should see it."""
    with tempfile.TemporaryDirectory() as directory:
        sources = Path(directory) / "python"
        shutil.copytree("python", sources, ignore=shutil.ignore_patterns("__pycache__"))
        (Path(directory) / fault.file).write_text(fault.source, encoding="utf-8")
        return outcome_of_tests([*tests_of(fault.file), *more_tests], sources, limit_s)


def read_outcomes(path: Path) -> dict[str, str]:
    """Read what became of each fault, by its identity, from the output of an earlier run."""
    outcomes = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        outcome, _, identity = line.partition(" ")
        if outcome in {CAUGHT, SURVIVED, UNENDED}:
            outcomes[identity] = outcome
    return outcomes


def main(arguments: Sequence[str]) -> int:
    """Draw faults, run the tests on each, and report.

    Args:
        arguments: command line without the program's name.

    Returns:
        Exit code.
    """
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="faults to draw (100)")
    parser.add_argument("--seed", type=int, default=13, help="of the draw (13)")
    parser.add_argument("--jobs", type=int, default=1, help="faults at a time (1)")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each fault (600)")
    parser.add_argument("--golden", action="store_true", help="run tests/golden, too")
    parser.add_argument("--out", type=Path, help="write the outcomes there, too")
    parser.add_argument("--before", type=Path, help="outcomes of another commit to compare with")
    options = parser.parse_args(arguments)

    files = [file for room in ROOMS for file in sorted((PACKAGE / room).rglob("*.py"))]
    drawn = [fault for file in files for fault in faults_of(file)]
    drawn = sorted(drawn, key=lambda fault: fault.drawn_at(options.seed))[: options.count]
    more = ["tests/golden"] if options.golden else []
    tests = sorted({test for fault in drawn for test in tests_of(fault.file)} | {*more})
    if outcome_of_tests(tests, Path("python"), options.limit * len(tests)) != SURVIVED:
        print("mutants: the tests fail without a fault", file=sys.stderr)
        return 3
    outcomes: dict[str, str] = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        running = pool.map(lambda fault: outcome_of(fault, options.limit, more), drawn)
        for fault, outcome in zip(drawn, running, strict=True):
            outcomes[fault.identity] = outcome
            print(f"{outcome} {fault.identity}", flush=True)
            if options.out:
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(f"{outcome} {fault.identity}\n")
    counts = Counter(outcomes.values())
    print(
        f"{counts[CAUGHT]} of {len(outcomes)} faults caught, {counts[SURVIVED]} survived, "
        f"{counts[UNENDED]} did not end within {options.limit:g} s"
    )
    before = read_outcomes(options.before) if options.before else {}
    lost = [
        identity
        for identity, outcome in outcomes.items()
        if outcome == SURVIVED and before.get(identity) == CAUGHT
    ]
    for identity in lost:
        print(f"LOST: {identity}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
