# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Random C programs of loops over arrays, the same for the same seed, without undefined behaviour.

They do what makes it hard to say what a loop overwrites and which bytes an index reaches: loops
that count up, down and in steps, miss elements at either end, read behind or ahead of their writes,
write on one of two ways, leave early, walk by pointers with one step or several, are nested, or
call what writes for them. Some indices were stored in memory before, as numbers below the smallest
size.
"""

import random

SIZES = (8, 12, 16, 24)

PRELUDE = """\
#include <stdio.h>
#include <string.h>
struct item { unsigned short key; unsigned value; };
static unsigned checksum = 1, state = 1;
static void mix(unsigned value) { checksum = checksum * 31 + value; }
static unsigned draw(void) { state = state * 1103515245u + 12345u; return state >> 16; }
static volatile unsigned last;
static unsigned at[4] = {1, 0, 2, 1}, only = 3;
static void set(unsigned *to, unsigned value) { *to = value; last = value; }
"""


class LoopWriter:
    """Writes one program; every choice comes from the seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - nothing is secret
        self.sizes = {f"a{i}": self.random.choice(SIZES) for i in range(4)}
        self.items = self.random.choice(SIZES)

    def array(self) -> str:
        """One of the arrays."""
        return self.random.choice(tuple(self.sizes))

    def place(self, name: str, index: str, low: int, high: int) -> str:
        """An element near an index of [low, high], within the array."""
        size = self.sizes[name]
        nearest = max(-low, -2)
        farthest = min(size - 1 - high, 2)
        if nearest > farthest:
            return f"{name}[{index} % {size}u]"
        return f"{name}[(int){index} + {self.random.randint(nearest, farthest)}]"

    def value(self, index: str, low: int, high: int) -> str:
        """A number that may depend on arrays."""
        name = self.array()
        size = self.sizes[name]
        mask = self.random.choice((1, 3, 7))
        return self.random.choice(
            (
                f"{self.random.randrange(99)}u",
                f"{index} * 3u",
                self.place(name, index, low, high),
                f"{self.place(name, index, low, high)} + 1u",
                f"{name}[draw() & {mask}u]",
                f"{name}[draw() % {size}u]",
                f"items[draw() % {self.items}u].{self.random.choice(('key', 'value'))}",
                "last",
                f"{name}[at[{self.random.choice(('draw() & 3u', 'draw() & 1u', '2'))}]]",
                f"{name}[only]",
            )
        )

    def statement(self, index: str, low: int, high: int) -> str:
        """One thing that a turn does."""
        name = self.array()
        to = self.place(name, index, low, high)
        value = self.value(index, low, high)
        kind = self.random.randrange(12)
        if kind == 9:
            known = f"{self.random.randrange(SIZES[0])}u"
            stored = self.random.choice(
                (known, "at[draw() & 3u]", "only", f"(unsigned){index} & 7u")
            )
            return f"{self.random.choice(('at[draw() & 3u]', 'at[1]', 'only'))} = {stored};"
        if kind == 10:
            return f"{name}[only] = {value};"
        if kind == 0:
            return f"if (draw() & 1u) {to} = {value};"
        if kind == 1:
            return f"if (draw() & 1u) {to} = {value}; else {to} = {self.value(index, low, high)};"
        if kind == 2:
            return f"set(&{to}, {value});"
        if kind == 3:
            return f"mix({value});"
        if kind == 4:
            return f"memset(&{to}, {self.random.randrange(256)}, 4);"
        if kind == 5:
            field = self.random.choice(("key", "value"))
            return f"items[(unsigned){index} % {self.items}u].{field} = {value};"
        return f"{to} = {value};"

    def body(self, index: str, low: int, high: int) -> str:
        """What a turn does."""
        count = self.random.randrange(1, 4)
        return " ".join(self.statement(index, low, high) for _ in range(count))

    def loop(self) -> str:
        """One loop over a part of the smallest array, or over a whole one."""
        name = self.array()
        size = self.sizes[name]
        low = self.random.choice((0, 0, 0, 1, 2))
        high = size - self.random.choice((0, 0, 0, 1, 3))  # one beyond the last
        step = self.random.choice((1, 1, 1, 2, 3))
        body = self.body("i", low, high - 1)
        sweep = f"{name}[i] = {self.value('i', low, high - 1)};"
        inside = self.random.choice((f"{sweep} {body}", f"{body} {sweep}", body))
        kind = self.random.randrange(10)
        if kind == 9:
            # At 0, 4, 6 and 7; 0, 1, 3 and 7; 0, 2, 3 and 5.
            first, following = self.random.choice(((4, "s / 2"), (1, "s * 2"), (2, "s ^ 3")))
            turn = ["p += s;"]
            turn.append(
                self.random.choice(("mix(*p);", f"*p = {self.value('j', 0, 2)};", "*p += 3u;"))
            )
            self.random.shuffle(turn)
            return (
                f"{{ unsigned *p = {name}; for (int j = 0, s = {first}; j < 3; j++, "
                f"s = {following}) {{ {' '.join(turn)} }} }}"
            )
        if kind == 7:
            return (
                f"{{ unsigned *p = {name}; for (int j = 0; j < {size // 4}; j++) {{ "
                f"for (int i = 0; i < 4; i++) {{ *p++ = {self.value('i', 0, 3)}; }} "
                f"{self.statement('j', 0, size // 4 - 1)} }} }}"
            )
        if kind == 8:
            filled = self.random.choice((2, 4, 8))
            pick = f"order[draw() & {self.random.choice((1, filled - 1))}u]"
            return (
                f"{{ unsigned order[8]; for (unsigned i = 0; i < {filled}u; i++) order[i] = i; "
                f"for (int i = {low}; i < {high}; i++) {{ unsigned kept = order[0]; "
                f"order[0] = {pick}; order[1] = kept; {name}[{pick}] = "
                f"{self.value('i', low, high - 1)}; {body} }} }}"
            )
        if kind == 0:
            return f"for (int i = {high - 1}; i >= {low}; i -= {step}) {{ {inside} }}"
        if kind == 1:
            leave = self.random.choice(("i == 5", "draw() == 3u", f"i >= {high - 1}"))
            return (
                f"for (int i = {low}; i < {high}; i += {step}) "
                f"{{ {inside} if ({leave}) break; {sweep} }}"
            )
        if kind == 2:
            return f"{{ int i = {low}; do {{ {inside} i += {step}; }} while (i < {high}); }}"
        if kind == 3:
            return (
                f"{{ unsigned *p = {name} + {low}; for (int i = {low}; i < {high}; i++) "
                f"{{ {body} *p++ = {self.value('i', low, high - 1)}; }} }}"
            )
        if kind == 4:
            inner = self.random.choice((2, 4))
            return (
                f"for (int j = 0; j < {size // inner}; j++) {{ "
                f"{self.statement('j', 0, size // inner - 1)} "
                f"for (int i = j * {inner}; i < j * {inner} + {inner}; i++) {{ {name}[i] = "
                f"{self.value('i', 0, size - 1)}; }} }}"
            )
        if kind == 5:
            return (
                f"for (int i = 0; i + 1 < {high}; i += 2) {{ "
                f"{name}[i] = {self.value('i', 0, high - 2)}; "
                f"{name}[i + 1] = {self.value('i', 0, high - 2)}; }}"
            )
        return f"for (int i = {low}; i < {high}; i += {step}) {{ {inside} }}"

    def program(self) -> str:
        """The whole program."""
        lines = [PRELUDE]
        lines += [f"static unsigned {name}[{size}];" for name, size in self.sizes.items()]
        lines += [f"static struct item items[{self.items}];"]
        for phase in range(3):
            loops = [f"    {self.loop()}" for _ in range(self.random.randrange(1, 4))]
            lines += [f"static void phase{phase}(void) {{", *loops, "}"]
        lines += ["int main(void) {"]
        for _ in range(4):
            lines.append(f"    phase{self.random.randrange(3)}();")
        lines += [f"    {self.loop()}", '    printf("%u\\n", checksum);', "    return 0;", "}"]
        return "\n".join(lines) + "\n"


def random_loops(seed: int) -> str:
    """A program of loops over arrays."""
    return LoopWriter(seed).program()
