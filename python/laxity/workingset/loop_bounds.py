# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Loop bounds that a source states by pragmas, attached to the loops of its code by their lines.

TACLeBench writes `_Pragma("loopbound min 1 max 8")` before each loop. The compiler drops what it
does not know, so they are read from the preprocessed source, whose line markers say where each
stood. Pure: texts and rows come in.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

# No line and no count has more digits.
_MARKER = re.compile(r'^#\s+(\d{1,18})\s+"((?:[^"\\]|\\.)*)"')
_BOUND = re.compile(r"^\s*#\s*pragma\s+loopbounds?\s+min\s+(\d{1,18})\s+max\s+(\d{1,18})\s*$")
_DIRECTIVE = re.compile(r"^\s*#")


@dataclass(frozen=True, slots=True)
class StatedBound:
    """A pragma: how often the loop that begins at `line` is gone through, at least and at most."""

    file: str
    line: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class CodeLoop:
    """A loop of the code; `parent` is the header of the loop around it, "": none."""

    function: str
    header: str
    parent: str
    file: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call of a function of the program; `loop` is the header of its innermost loop, "": none."""

    function: str
    loop: str
    callee: str


@dataclass(frozen=True, slots=True)
class Attached:
    """Bounds with their loops, and what is left of both."""

    most: Mapping[tuple[str, str], int]
    loops_without: tuple[CodeLoop, ...]
    bounds_without: tuple[StatedBound, ...]


def read_bounds(preprocessed: str) -> list[StatedBound]:
    """Read the pragmas of a preprocessed source; each belongs to the next line that has code.

    Args:
        preprocessed: What `clang -E` prints.
    """
    found: list[StatedBound] = []
    waiting: list[tuple[int, int]] = []
    file, line = "", 0
    # Nothing else ends a line of C: a text may hold what Python takes for an end.
    for text in preprocessed.split("\n"):
        marker = _MARKER.match(text)
        if marker:
            line, file = int(marker[1]), _unescaped(marker[2])
            continue
        bound = _BOUND.match(text)
        if bound:
            waiting.append((int(bound[1]), int(bound[2])))
        elif waiting and text.strip() and not _DIRECTIVE.match(text):
            found += [StatedBound(file, line, least, most) for least, most in waiting]
            waiting = []
        line += 1
    return found


def attach(bounds: Iterable[StatedBound], loops: Sequence[CodeLoop]) -> Attached:
    """Attach bounds to the loops that begin where they say.

    A loop that stands in the code several times (its function was inlined) has its bound each time.
    Of two bounds for one line the larger counts: both may be meant.
    """
    stated: dict[tuple[str, int], StatedBound] = {}
    for one in bounds:
        known = stated.get((one.file, one.line))
        if known is None or known.most < one.most:
            stated[one.file, one.line] = one
    most: dict[tuple[str, str], int] = {}
    used: set[tuple[str, int]] = set()
    for loop in loops:
        place = (loop.file or "", loop.line or 0)
        if place in stated:
            most[loop.function, loop.header] = stated[place].most
            used.add(place)
    return Attached(
        most=most,
        loops_without=tuple(one for one in loops if (one.function, one.header) not in most),
        bounds_without=tuple(one for place, one in stated.items() if place not in used),
    )


def passes_of_loops(
    loops: Sequence[CodeLoop], most: Mapping[tuple[str, str], int]
) -> dict[tuple[str, str], int]:
    """Tell how often each loop's body is executed at most in one call of its function.

    The product of the bounds along the nest. The last look at a loop's condition, which is not
    followed by its body, is not counted.

    Args:
        loops: All loops of the program.
        most: A bound for each of them.
    """
    known = {(one.function, one.header): one for one in loops}
    passes: dict[tuple[str, str], int] = {}
    for key, loop in known.items():
        product, around = most[key], loop.parent
        while around:
            product *= most[loop.function, around]
            around = known[loop.function, around].parent
        passes[key] = product
    return passes


def calls_of_functions(
    roots: Iterable[str], calls: Sequence[CallSite], passes: Mapping[tuple[str, str], int]
) -> dict[str, int] | str:
    """Tell how often each function is called at most; in words: why no such number exists.

    Every branch counts as taken.

    Args:
        roots: Functions that are called once from outside.
        calls: All call sites.
        passes: Of each loop, in one call of its function.
    """
    callees: dict[str, list[CallSite]] = {}
    for one in calls:
        callees.setdefault(one.function, []).append(one)
    order = _in_order_of_calls(roots, callees)
    if isinstance(order, str):
        return order
    counts = dict.fromkeys(order, 0)
    for root in roots:
        counts[root] = 1
    for function in order:
        for site in callees.get(function, []):
            factor = passes[function, site.loop] if site.loop else 1
            counts[site.callee] += counts[function] * factor
    return counts


def _in_order_of_calls(
    roots: Iterable[str], callees: Mapping[str, Sequence[CallSite]]
) -> list[str] | str:
    """List what is called, callers before callees; in words: who is recursive."""
    done: list[str] = []
    state: dict[str, int] = {}
    for root in roots:
        stack = [(root, iter(callees.get(root, ())))] if root not in state else []
        state.setdefault(root, 1)
        while stack:
            function, sites = stack[-1]
            site = next(sites, None)
            if site is None:
                state[function] = 2
                done.append(function)
                stack.pop()
            elif state.get(site.callee) == 1:
                return f"{site.callee} is recursive, and nothing says how deep"
            elif site.callee not in state:
                state[site.callee] = 1
                stack.append((site.callee, iter(callees.get(site.callee, ()))))
    return done[::-1]


def _unescaped(name: str) -> str:
    return name.replace('\\"', '"').replace("\\\\", "\\")
