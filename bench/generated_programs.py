# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs of any size, as text of LLVM's IR, for working_set_growth.py.

Functions stand in layers: one of a layer calls two of the next, so there are as many calling
contexts as paths. What they do between calls is that of a family.
"""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

_ARRAYS, _ARRAY_LENGTH = 64, 32
_NODES = 256
_CALLEES = 2
_HEAD = 'target datalayout = "e-m:e-i64:64-n8:16:32:64-S128"'


def _light_globals() -> Iterator[str]:
    for number in range(_ARRAYS):
        yield f"@a{number} = internal global [{_ARRAY_LENGTH} x i64] zeroinitializer"


def _light_step(step: int, generator: np.random.Generator) -> Iterator[str]:
    """Scalars of global arrays, read, added up, written: every address is known."""
    read, written = generator.integers(_ARRAYS, size=2)
    first, second = generator.integers(_ARRAY_LENGTH, size=2)
    kind = f"[{_ARRAY_LENGTH} x i64]"
    yield f"  %p{step} = getelementptr inbounds {kind}, ptr @a{read}, i64 0, i64 {first}"
    yield f"  %v{step} = load i64, ptr %p{step}"
    yield f"  %q{step} = getelementptr inbounds {kind}, ptr @a{written}, i64 0, i64 {second}"
    yield f"  %s{step} = add i64 %v{step}, %x"
    yield f"  %t{step} = xor i64 %s{step}, {step}"
    yield f"  store i64 %t{step}, ptr %q{step}"


def _heavy_globals() -> Iterator[str]:
    yield "%node = type { ptr, ptr, i64 }"
    for number in range(_NODES):
        left, right = (number * 2 + 1) % _NODES, (number * 7 + 3) % _NODES
        yield f"@n{number} = internal global %node {{ ptr @n{left}, ptr @n{right}, i64 0 }}"


def _heavy_step(step: int, generator: np.random.Generator) -> Iterator[str]:
    """A graph of nodes that is walked and rewired: pointers are loaded, stored and chosen."""
    start = generator.integers(_NODES)
    field = generator.integers(2)
    yield f"  %p{step} = load ptr, ptr %l"
    yield f"  %q{step} = getelementptr inbounds %node, ptr %p{step}, i64 0, i32 {field}"
    yield f"  %r{step} = load ptr, ptr %q{step}"
    yield f"  %c{step} = icmp eq ptr %r{step}, null"
    yield f"  %u{step} = select i1 %c{step}, ptr @n{start}, ptr %r{step}"
    yield f"  store ptr %u{step}, ptr %l"
    yield f"  store ptr %p{step}, ptr %u{step}"


Step = Callable[[int, np.random.Generator], Iterator[str]]
# Of each family: its globals, and a step of 6 or 7 instructions.
FAMILIES: Final[dict[str, tuple[Callable[[], Iterator[str]], Step]]] = {
    "light": (_light_globals, _light_step),
    "heavy": (_heavy_globals, _heavy_step),
}


def generate(family: str, instructions: int, layers: int, seed: int) -> str:
    """Write a program of about so many instructions.

    Args:
        family: `light`, every address is a constant; `heavy`, most are loaded from memory.
        instructions: Of the whole program.
        layers: Depth of the call graph below main.
        seed: The same one gives the same text.
    """
    make_globals, make_step = FAMILIES[family]
    generator = np.random.default_rng(seed)
    steps, per_step = 12, sum(1 for _ in make_step(0, np.random.default_rng(seed)))
    per_function = steps * per_step + _CALLEES + 4
    width = max(1, round(instructions / per_function / layers))
    lines = [_HEAD, *make_globals()]
    for layer in range(layers):
        for number in range(width):
            lines += [f"define internal ptr @f{layer}_{number}(ptr %start, i64 %x) {{"]
            lines += ["  %l = alloca ptr", "  store ptr %start, ptr %l"]
            for step in range(steps):
                lines += make_step(step, generator)
            lines += ["  %e = load ptr, ptr %l"]
            if layer + 1 < layers:
                for call, callee in enumerate(generator.integers(width, size=_CALLEES)):
                    name = f"@f{layer + 1}_{callee}"
                    lines += [f"  %k{call} = call ptr {name}(ptr %e, i64 %x)"]
            lines += ["  ret ptr %e", "}"]
    lines += ["define i32 @main() {", "  %l = alloca i64"]
    lines += [
        f"  %r{number} = call ptr @f0_{number}(ptr %l, i64 {number})" for number in range(width)
    ]
    return "\n".join([*lines, "  ret i32 0", "}", ""])
