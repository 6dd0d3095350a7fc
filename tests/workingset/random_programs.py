# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Random programs in C or C++ without undefined behaviour, the same for the same seed.

They do what makes liveness hard: scratch arrays that are filled and used up, partial overwrites,
reuse in phases, loops of constant and of variable bounds, pointers to parameters, structs by value,
bounded recursion, calls through pointers, callbacks of ours and of the C library, and longjmp; those
in C++ exceptions, too. Arithmetic is unsigned, indices are masked, and what is read was written
before.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

ELEMENT_TYPES = ("unsigned char", "unsigned short", "unsigned", "unsigned long")

# Powers of two, so that an index is masked by size - 1.
ARRAY_SIZES = (2, 4, 8, 16, 32)

PRELUDE = """\
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair { unsigned first; unsigned short second; unsigned char rest[6]; };
typedef unsigned operation(unsigned a, unsigned b);

static unsigned checksum = 1;
static void mix(unsigned value) { checksum = checksum * 31 + value; }
static unsigned add(unsigned a, unsigned b) { return a + b; }
static unsigned twist(unsigned a, unsigned b) { checksum ^= a; return (a ^ b) * 7; }
static operation *const operations[2] = {add, twist};
static jmp_buf rescue;
static unsigned is_turned;
"""

# Who throws says so to the checksum, and so does whoever is left on the way.
EXCEPTIONS = """\
struct failure {
    unsigned code;
    unsigned char rest[4];
    ~failure() { mix(rest[1]); }
};
struct guard {
    unsigned *watched;
    ~guard() { mix(*watched); }
};
static unsigned may_throw(unsigned value)
{
    unsigned kept = value * 3u;
    guard watch = {&kept};
    if (value & 1u) { throw value; }
    kept = checksum;
    if (value & 2u) { throw failure{value, {1, (unsigned char)value, 3, 4}}; }
    return kept;
}
"""


@dataclass(frozen=True, slots=True)
class Array:
    """An array of which the first `defined` elements may be read."""

    name: str
    size: int
    defined: int
    element: str


@dataclass(slots=True)
class Scope:
    """What statements may name."""

    scalars: list[str]
    arrays: list[Array]
    pairs: list[str] = field(default_factory=list)
    depth: int = 0


class ProgramWriter:
    """Writes one program; every choice comes from the seed."""

    def __init__(self, seed: int, has_exceptions: bool) -> None:
        self.random = random.Random(seed)  # noqa: S311 - nothing is secret
        self.has_exceptions = has_exceptions
        self.lines: list[str] = []
        self.names = 0
        self.globals = Scope([], [])
        self.functions: list[str] = []

    def name(self, prefix: str) -> str:
        """A name that the program does not have yet."""
        self.names += 1
        return f"{prefix}{self.names}"

    def value(self, scope: Scope) -> str:
        """An expression without effect."""
        kind = self.random.randrange(6)
        if kind == 0 or not scope.scalars:
            return f"{self.random.randrange(256)}u"
        scalar = self.random.choice(scope.scalars)
        if kind <= 2:
            return scalar
        if kind == 3 and scope.pairs:
            return f"{self.random.choice(scope.pairs)}.{self.random.choice(('first', 'second', 'rest[3]'))}"
        if kind == 4 and scope.arrays:
            return self.element(scope, self.random.choice(scope.arrays))
        return f"({scalar} {self.random.choice('+*^')} {self.random.randrange(1, 99)}u)"

    def element(self, scope: Scope, array: Array) -> str:
        """A readable element, at a constant or a computed index."""
        if self.random.random() < 0.4 or not scope.scalars:
            return f"{array.name}[{self.random.randrange(array.defined)}]"
        return f"{array.name}[{self.random.choice(scope.scalars)} % {array.defined}u]"

    def block(self, scope: Scope, indent: str, count: int) -> list[str]:
        """Statements that may declare names of their own."""
        inner = Scope(list(scope.scalars), list(scope.arrays), list(scope.pairs), scope.depth + 1)
        lines: list[str] = []
        for _ in range(count):
            lines += self.statement(inner, indent)
        return lines

    def statement(self, scope: Scope, indent: str) -> list[str]:
        """One random statement."""
        kinds: list[Callable[[Scope, str], list[str]]] = [
            self.assignment,
            self.store,
            self.store,
            self.scratch,
            self.partial_copy,
            self.pair_use,
            self.call,
            self.call,
            self.indirect_call,
            self.jump,
            self.sort,
        ]
        if scope.depth < 3:
            kinds += [self.branch, self.constant_loop, self.variable_loop, self.phases]
            kinds += [self.attempt, self.attempt] * self.has_exceptions
        return self.random.choice(kinds)(scope, indent)

    def assignment(self, scope: Scope, indent: str) -> list[str]:
        """A new scalar, or a change of the checksum."""
        if self.random.random() < 0.4:
            return [f"{indent}mix({self.value(scope)});"]
        name = self.name("x")
        line = f"{indent}unsigned {name} = (unsigned)({self.value(scope)} + {self.value(scope)});"
        scope.scalars.append(name)
        return [line]

    def store(self, scope: Scope, indent: str) -> list[str]:
        """A write of one element that is readable already."""
        if not scope.arrays:
            return self.assignment(scope, indent)
        return [
            f"{indent}{self.element(scope, self.random.choice(scope.arrays))} = {self.value(scope)};"
        ]

    def scratch(self, scope: Scope, indent: str) -> list[str]:
        """A local array: filled in full, in part or by memset, then used."""
        name, size = self.name("scratch"), self.random.choice(ARRAY_SIZES)
        defined = size if self.random.random() < 0.7 else self.random.randrange(1, size + 1)
        element = self.random.choice(ELEMENT_TYPES)
        lines = [f"{indent}{element} {name}[{size}];"]
        if self.random.random() < 0.3:
            lines.append(
                f"{indent}memset({name}, {self.random.randrange(256)}, {defined} * sizeof({name}[0]));"
            )
        else:
            value = self.value(scope)
            lines.append(
                f"{indent}for (unsigned i = 0; i < {defined}; i++) {{ {name}[i] = i * 3u + {value}; }}"
            )
        scope.arrays.append(Array(name, size, defined, element))
        return lines

    def partial_copy(self, scope: Scope, indent: str) -> list[str]:
        """Bytes of one array over the front of another."""
        if len(scope.arrays) < 2:
            return self.scratch(scope, indent)
        to, source = self.random.sample(scope.arrays, 2)
        count = self.random.randrange(1, min(to.defined, source.defined) + 1)
        width = self.random.choice((to, source)).name
        return [
            f"{indent}if ({count} * sizeof({width}[0]) <= {to.defined} * sizeof({to.name}[0]) &&",
            f"{indent}    {count} * sizeof({width}[0]) <= {source.defined} * sizeof({source.name}[0])) {{",
            f"{indent}    memcpy({to.name}, {source.name}, {count} * sizeof({width}[0]));",
            f"{indent}}}",
        ]

    def pair_use(self, scope: Scope, indent: str) -> list[str]:
        """A struct: made, copied, or passed by value and changed through a pointer."""
        if not scope.pairs or self.random.random() < 0.3:
            name = self.name("pair")
            line = f"{indent}struct pair {name} = {{(unsigned){self.value(scope)}, (unsigned short){self.value(scope)}, {{1, 2, 3}}}};"
            scope.pairs.append(name)
            return [line]
        pair = self.random.choice(scope.pairs)
        if self.random.random() < 0.4:
            return [f"{indent}mix(sum_pair({pair}));"]
        if self.random.random() < 0.5:
            return [f"{indent}change_pair(&{pair}, {self.value(scope)});"]
        name = self.name("pair")
        scope.pairs.append(name)
        return [
            f"{indent}struct pair {name} = {pair};",
            f"{indent}{name}.second = (unsigned short){self.value(scope)};",
        ]

    def call(self, scope: Scope, indent: str) -> list[str]:
        """A call of an earlier function, with an array of ours."""
        if not self.functions or not scope.arrays:
            return self.assignment(scope, indent)
        array = self.random.choice(scope.arrays)
        function = self.random.choice(self.functions)
        copy = self.name("given")
        # Functions take arrays of unsigned, whatever ours has.
        lines = [
            f"{indent}unsigned {copy}[{array.defined}];",
            f"{indent}for (unsigned i = 0; i < {array.defined}; i++) {{ {copy}[i] = (unsigned){array.name}[i]; }}",
            f"{indent}mix({function}({self.value(scope)}, {copy}, {array.defined}));",
        ]
        if self.random.random() < 0.5:
            scope.arrays.append(Array(copy, array.defined, array.defined, "unsigned"))
        return lines

    def indirect_call(self, scope: Scope, indent: str) -> list[str]:
        """A call through a table."""
        return [
            f"{indent}mix(operations[{self.value(scope)} & 1u]({self.value(scope)}, {self.value(scope)}));"
        ]

    def jump(self, scope: Scope, indent: str) -> list[str]:
        """A callback that may jump out of the function that calls it."""
        return [f"{indent}mix(try_to(leave_early, {self.value(scope)}));"]

    def sort(self, scope: Scope, indent: str) -> list[str]:
        """Elements that the C library sorts; the callback reads a variable."""
        if not scope.arrays:
            return self.scratch(scope, indent)
        array = self.random.choice(scope.arrays)
        order = f"order_{array.element.replace(' ', '_')}"
        return [
            f"{indent}is_turned = {self.value(scope)} & 1u;",
            f"{indent}qsort({array.name}, {array.defined}, sizeof({array.name}[0]), {order});",
        ]

    def attempt(self, scope: Scope, indent: str) -> list[str]:
        """Statements of which one may throw, and what is done about it."""
        caught = self.name("caught")
        handler = Scope([*scope.scalars, caught], scope.arrays, scope.pairs, scope.depth)
        thrower = f"{indent}    mix(may_throw({self.value(scope)}));"
        lines = [f"{indent}try {{"]
        if self.random.random() < 0.4:
            lines += [
                f"{indent}    unsigned {caught}_seen = {self.value(scope)};",
                f"{indent}    guard {caught}_guard = {{&{caught}_seen}};",
            ]
        lines += self.block(scope, indent + "    ", self.random.randrange(0, 3))
        lines += [thrower, *self.block(scope, indent + "    ", self.random.randrange(0, 2))]
        lines.append(f"{indent}}} catch (unsigned {caught}) {{")
        lines += self.block(handler, indent + "    ", self.random.randrange(1, 3))
        if self.random.random() < 0.2:
            lines.append(f"{indent}    if ({caught} & 4u) {{ throw; }}")
        if self.random.random() < 0.7:
            lines += [
                f"{indent}}} catch (const failure &{caught}) {{",
                f"{indent}    mix({caught}.code + {caught}.rest[1]);",
                *self.block(scope, indent + "    ", self.random.randrange(0, 2)),
            ]
        return [*lines, f"{indent}}}"]

    def branch(self, scope: Scope, indent: str) -> list[str]:
        """Two ways."""
        lines = [f"{indent}if ({self.value(scope)} & {self.random.choice((1, 2, 4))}u) {{"]
        lines += self.block(scope, indent + "    ", self.random.randrange(1, 4))
        if self.random.random() < 0.6:
            lines += [
                f"{indent}}} else {{",
                *self.block(scope, indent + "    ", self.random.randrange(1, 3)),
            ]
        return [*lines, f"{indent}}}"]

    def constant_loop(self, scope: Scope, indent: str) -> list[str]:
        """A loop that writes all or some elements of an array, and may read them first."""
        counter = self.name("i")
        body = Scope([*scope.scalars, counter], scope.arrays, scope.pairs, scope.depth)
        lines = [
            f"{indent}for (unsigned {counter} = 0; {counter} < {self.random.choice((1, 3, 8))}; {counter}++) {{"
        ]
        lines += self.block(body, indent + "    ", self.random.randrange(1, 3))
        lines.append(f"{indent}}}")
        if scope.arrays:
            array = self.random.choice(scope.arrays)
            step = self.random.choice((1, 1, 1, 2))
            first = self.random.choice((0, 0, 0, 1))
            old = f"{array.name}[{counter}] + " if self.random.random() < 0.3 else ""
            lines += [
                f"{indent}for (unsigned {counter} = {first}; {counter} < {array.defined}; {counter} += {step}) {{",
                f"{indent}    {array.name}[{counter}] = {old}{counter} * {self.value(scope)};",
                f"{indent}}}",
            ]
        return lines

    def variable_loop(self, scope: Scope, indent: str) -> list[str]:
        """A loop whose bound is only known when it runs; it may run 0 times."""
        counter = self.name("i")
        bound = f"({self.value(scope)} % {self.random.choice((2, 5))}u)"
        body = Scope([*scope.scalars, counter], scope.arrays, scope.pairs, scope.depth)
        limit = self.name("limit")
        lines = [f"{indent}unsigned {limit} = {bound};"]
        lines.append(f"{indent}for (unsigned {counter} = 0; {counter} < {limit}; {counter}++) {{")
        lines += self.block(body, indent + "    ", self.random.randrange(1, 3))
        if self.random.random() < 0.2:
            lines.append(
                f"{indent}    if (checksum & 8u) {{ {self.random.choice(('break', 'continue'))}; }}"
            )
        return [*lines, f"{indent}}}"]

    def phases(self, scope: Scope, indent: str) -> list[str]:
        """The same storage for one thing after the other."""
        name, size = self.name("reused"), self.random.choice(ARRAY_SIZES)
        lines = [f"{indent}unsigned {name}[{size}];"]
        for _ in range(self.random.randrange(2, 4)):
            counter = self.name("i")
            value = self.value(scope)
            lines += [
                f"{indent}for (unsigned {counter} = 0; {counter} < {size}; {counter}++) {{",
                f"{indent}    {name}[{counter}] = {counter} + {value};",
                f"{indent}}}",
                f"{indent}mix({name}[{self.value(scope)} % {size}u]);",
            ]
        return lines

    def write_function(self) -> None:
        """A function of a value and an array, which may be recursive."""
        name = self.name("work")
        # Elements that the caller does not have must not be touched: one is there always.
        scope = Scope(
            [*self.globals.scalars, "a"], [Array("p", 1, 1, "unsigned"), *self.globals.arrays], []
        )
        self.lines.append(f"static unsigned {name}(unsigned a, unsigned *p, unsigned n)\n{{")
        self.lines.append(
            "    for (unsigned i = 0; i < n; i++) { p[i] = p[i] * 3u + i; }"
            if self.random.random() < 0.5
            else "    for (unsigned i = 0; i < n; i++) { p[i] = a + i; }"
        )
        self.lines += self.block(scope, "    ", self.random.randrange(2, 6))
        if self.random.random() < 0.3:
            self.lines.append(f"    if (a % 4u > 0) {{ mix({name}(a % 4u - 1, p, n)); }}")
        self.lines += ["    mix(p[n - 1]);", f"    return {self.value(scope)};", "}"]
        self.functions.append(name)

    def write_globals(self) -> None:
        """Variables, some of which never change."""
        for _ in range(self.random.randrange(2, 6)):
            name, size = self.name("table"), self.random.choice(ARRAY_SIZES)
            initial = (
                ""
                if self.random.random() < 0.5
                else " = {" + ", ".join(str(i * 5 % 17) for i in range(size)) + "}"
            )
            element = self.random.choice(ELEMENT_TYPES)
            self.lines.append(f"static {element} {name}[{size}]{initial};")
            self.globals.arrays.append(Array(name, size, size, element))
        for _ in range(self.random.randrange(1, 4)):
            name = self.name("state")
            self.lines.append(f"static unsigned {name} = {self.random.randrange(9)};")
            self.globals.scalars.append(name)

    def write_helpers(self) -> None:
        """Functions that every program may call."""
        for element in ELEMENT_TYPES:
            # The order of all elements is one whatever the algorithm compares: equal ones are the same.
            self.lines.append(f"""\
static int order_{element.replace(" ", "_")}(const void *a, const void *b)
{{
    {element} left = *(const {element} *)a, right = *(const {element} *)b;
    return left == right ? 0 : (left < right) == is_turned ? 1 : -1;
}}""")
        array = self.random.choice(self.globals.arrays).name
        scalar = self.random.choice(self.globals.scalars)
        self.lines.append(f"""\
static unsigned sum_pair(struct pair pair)
{{
    pair.first += {scalar};
    return pair.first + pair.second + pair.rest[1];
}}
static void change_pair(struct pair *pair, unsigned value)
{{
    pair->first = value;
    if (value & 1u) {{ pair->rest[3] = (unsigned char)value; }}
}}
static unsigned leave_early(unsigned value)
{{
    {array}[0] = value;
    if (value & 1u) {{ longjmp(rescue, 1); }}
    return value;
}}
static unsigned try_to(unsigned (*function)(unsigned), unsigned value)
{{
    if (setjmp(rescue)) {{ return {array}[0]; }}
    return function(value);
}}""")

    def write_main(self) -> None:
        """Three jobs between an init and a teardown that reads what the last one left."""
        scope = Scope(self.globals.scalars, self.globals.arrays)
        self.lines += ["static void init(void)\n{", *self.block(scope, "    ", 2), "}"]
        self.lines += ["static void run_job(void)\n{"]
        for scalar in self.globals.scalars:
            if self.random.random() < 0.5:
                self.lines.append(f"    {scalar} = {scalar} * 5u + 1u;")
        self.lines += self.block(scope, "    ", self.random.randrange(4, 9))
        self.lines += ["}", "static void tear_down(void)\n{"]
        for array in self.globals.arrays:
            if self.random.random() < 0.6:
                self.lines.append(
                    f"    for (unsigned i = 0; i < {array.size}; i++) {{ mix({array.name}[i]); }}"
                )
        self.lines += ['    printf("%u\\n", checksum);', "}", "int main(void)\n{"]
        for loop, phase in (("", "init"), ("for (int job = 0; job < 3; job++) ", "run_job")):
            # What leaves a job ends it, and not the program.
            call = f"try {{ {phase}(); }} catch (...) {{ mix(77); }}"
            self.lines.append(f"    {loop}{{ {call if self.has_exceptions else f'{phase}();'} }}")
        self.lines += ["    tear_down();", "    return 0;", "}"]

    def write(self) -> str:
        """The whole program."""
        self.lines = [PRELUDE, *[EXCEPTIONS] * self.has_exceptions]
        self.write_globals()
        self.write_helpers()
        for _ in range(self.random.randrange(1, 5)):
            self.write_function()
        self.write_main()
        return "\n".join(self.lines) + "\n"


def random_program(seed: int, language: str = "c") -> str:
    """A program with main(), init(), run_job() and tear_down().

    Args:
        seed: Any integer; the same one gives the same text.
        language: "c" or "cpp"; one in C++ throws exceptions.
    """
    return ProgramWriter(seed, has_exceptions=language == "cpp").write()
