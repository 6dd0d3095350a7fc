# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Random IR that LLVM's verifier takes and hardly any compiler makes, the same for the same seed.

Types without bytes, integers of odd widths, arrays beyond all memory, vectors as long as the
machine's; copies of length 0 and of more than there is, variables that are no elements or too many;
calls of functions that are not what their name says; blocks that nothing leads to, functions that
never end, recursion without a base. None of these programs is meant to be run.
"""

import random

EMPTY = ("{}", "[0 x i8]", "[0 x {}]", "{ {}, [0 x i32] }", "[3 x {}]", "<{ [0 x i64] }>")
ODD = ("i1", "i7", "i24", "i33", "i65", "i128", "i200")
PLAIN = ("i8", "i16", "i32", "i64", "ptr", "float", "double", "half", "fp128")
WIDE = (
    *("<1 x i1>", "<3 x i24>", "<2 x ptr>", "<4 x i32>", "{ i8, i32 }", "{ i8, {}, i64 }"),
    *("[4 x i16]", "[2 x { i8, i24 }]", "<{ i8, i128 }>", "{ ptr, [2 x i7] }", "ptr addrspace(1)"),
)
HUGE = (
    *("[1099511627777 x i8]", "[4611686018427387904 x i64]", "[18446744073709551615 x i32]"),
    *("[8589934592 x [8589934592 x i64]]", "{ i8, [2305843009213693952 x i8] }"),
)
SCALABLE = ("<vscale x 2 x i32>", "<vscale x 16 x i1>", "<vscale x 2 x ptr>")
LENGTHS = ("0", "0", "0", "1", "3", "8", "16", "4096", "-1", "1099511627776", "9223372036854775807")
LAYOUTS = (
    *(("", ""),) * 6,
    ("e-p:32:32", "armv7-none-eabi"),
    ("e-p:16:16", "avr"),
    ("E-p:64:64-i128:128", "s390x-linux-gnu"),
    ("e-p:128:128:128:128", ""),
    ("e-p:64:64-p1:32:32", "x86_64-pc-linux-gnu"),
)
# Names of the model table with other types than the library's, and some that are right.
DECLARED = {
    "malloc": ("ptr", ("i64",)),
    "calloc": ("ptr", ("i128", "i128")),
    "realloc": ("ptr", ()),
    "free": ("void", ("i24",)),
    "atexit": ("i32", ()),
    "signal": ("ptr", ("i32",)),
    "qsort": ("void", ("ptr",)),
    "bsearch": ("ptr", ("ptr", "ptr", "i64", "i64", "ptr")),
    "strlen": ("i64", ("i64",)),
    "strtol": ("i64", ("ptr",)),
    "memcpy": ("ptr", ("ptr", "ptr", "i64")),
    "memset": ("{}", ("ptr",)),
    "fread": ("i64", ("ptr", "i64", "i64", "ptr")),
    "printf": ("i32", ("float",)),
    "sigaction": ("i32", ("i32",)),
    "exit": ("i7", ()),
    "abort": ("void", ()),
    "longjmp": ("void", ()),
    "_setjmp": ("i32", ()),
    "nobody": ("<2 x ptr>", ("{}", "i128")),
    "__cxa_throw": ("void", ()),
    "pthread_create": ("i32", ("ptr",)),
}
ASSEMBLY = ('asm sideeffect "", "~{memory}"()', 'asm "", ""()', 'asm "nop", ""()')


class _Function:
    """One function while it is written: its values by type, those of the entry block first."""

    def __init__(self, program: "_Program", name: str, result: str, parameters: list[str]) -> None:
        self.program, self.random = program, program.random
        self.name, self.result, self.parameters = name, result, parameters
        self.count = 0
        self.known: list[tuple[str, str]] = []
        self.lines: list[str] = []
        self.is_variadic = self.random.random() < 0.1 and name != "main"
        self.has_landing = self.random.random() < 0.3
        self.blocks = [f"b{number}" for number in range(self.random.choice((1, 1, 2, 4, 7)))]

    def value(self, type_: str) -> str:
        """Name a value of a type: one that is known, or a constant."""
        known = [name for name, of in self.known if of == type_]
        if known and self.random.random() < 0.7:
            return self.random.choice(known)
        if type_ == "ptr":
            return self.random.choice([*self.program.pointers, "null", "undef", "poison"])
        if type_.startswith("i") and type_[1:].isdigit():
            most = 1 << (int(type_[1:]) - 1)
            constants = ["0", "1", "-1", str(most - 1), str(-most)]
            numbers = [one for one in constants if -most <= int(one) < most]
            return self.random.choice([*numbers, "undef", "poison"])
        return self.random.choice(("zeroinitializer", "undef", "poison")) if (
            type_[0] in "{[<" or type_.startswith("ptr")
        ) else self.random.choice(("undef", "poison"))  # fmt: skip

    def typed(self, type_: str) -> str:
        """Write a value behind its type."""
        return f"{type_} {self.value(type_)}"

    def make(self, type_: str, text: str) -> None:
        """Write an instruction that has a result."""
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        self.known.append((name, type_))

    def do(self, text: str) -> None:
        """Write an instruction without a result."""
        self.lines.append(f"  {text}")

    def call(self, callee: str, result: str, parameters: list[str] | tuple[str, ...]) -> None:
        """Call something as if it were of this type."""
        arguments = ", ".join(self.typed(one) for one in parameters)
        if result == "void":
            self.do(f"call void {callee}({arguments})")
        else:
            self.make(result, f"call {result} {callee}({arguments})")

    def instruction(self) -> None:
        """Write any instruction."""
        self.random.choice(
            (
                *(self._alloca, self._load, self._store, self._step, self._step, self._block),
                *(self._block, self._block, self._atomic, self._aggregate, self._pointer),
                *(self._call, self._call, self._declared, self._marker, self._masked),
                *(self._arithmetic, self._by_value, self._other),
            )
        )()

    def _alloca(self) -> None:
        choose = self.random.choice
        counts = ("", "", "", ", i32 0", ", i64 -1", ", i128 -1", ", i1 true", ", i7 3")
        count = choose((*counts, f", {self.typed(choose(ODD))}"))
        self.make("ptr", f"alloca {self.program.type()}{count}")

    def _load(self) -> None:
        type_ = self.program.type()
        volatile = self.random.choice(("", "", "", "volatile "))
        self.make(type_, f"load {volatile}{type_}, {self.typed('ptr')}, align 1")

    def _store(self) -> None:
        volatile = self.random.choice(("", "", "", "volatile "))
        value = self.typed(self.program.type())
        self.do(f"store {volatile}{value}, {self.typed('ptr')}, align 1")

    def _step(self) -> None:
        type_ = self.program.type()
        index = self.random.choice(("i64", "i32", "i1", "i7", "i24", "i128"))
        if type_.startswith("[") and "vscale" not in type_ and self.random.random() < 0.5:
            far = f"{self.typed(index)}, {self.typed(self.random.choice(('i64', 'i8', 'i65')))}"
        else:
            far = self.typed(index)
        bounds = self.random.choice(("", "inbounds "))
        if self.random.random() < 0.1:
            pointers = self.typed("<2 x ptr>")
            self.make("<2 x ptr>", f"getelementptr {type_}, {pointers}, i64 {self.value('i64')}")
        else:
            self.make("ptr", f"getelementptr {bounds}{type_}, {self.typed('ptr')}, {far}")

    def _block(self) -> None:
        choose = self.random.choice
        width = choose(("i32", "i64", "i64"))
        length = choose(LENGTHS) if self.random.random() < 0.7 else self.value(width)
        if width == "i32" and length.lstrip("-").isdigit() and abs(int(length)) >= 1 << 31:
            length = "0"
        volatile = choose(("i1 false", "i1 false", "i1 true"))
        to, other = self.typed("ptr"), self.typed("ptr")
        if choose((True, False, False)):
            byte = self.typed("i8")
            self.do(
                f"call void @llvm.memset.p0.{width}({to}, {byte}, {width} {length}, {volatile})"
            )
        else:
            name = choose(("memcpy", "memcpy", "memmove"))
            self.do(
                f"call void @llvm.{name}.p0.p0.{width}({to}, {other}, {width} {length}, {volatile})"
            )

    def _atomic(self) -> None:
        type_ = self.random.choice(("i8", "i32", "i64"))
        pointer = self.typed("ptr")
        kind = self.random.randrange(3)
        if kind == 0:
            self.make(type_, f"atomicrmw add {pointer}, {self.typed(type_)} seq_cst")
        elif kind == 1:
            new = self.typed(type_)
            old = self.typed(type_)
            self.make(f"{{ {type_}, i1 }}", f"cmpxchg {pointer}, {old}, {new} acq_rel monotonic")
        else:
            self.do("fence seq_cst")

    def _aggregate(self) -> None:
        pair = "{ i8, i32 }"
        if self.random.random() < 0.5:
            self.make("i32", f"extractvalue {self.typed(pair)}, 1")
        else:
            self.make(pair, f"insertvalue {self.typed(pair)}, {self.typed('i8')}, 0")
        one = self.random.choice(("<3 x i24>", "<2 x ptr>"))
        element = one.split(" x ")[1].rstrip(">")
        self.make(element, f"extractelement {self.typed(one)}, {self.typed('i7')}")

    def _pointer(self) -> None:
        wide = self.random.choice((*ODD, "i64"))
        kind = self.random.randrange(5)
        if kind == 0:
            self.make(wide, f"ptrtoint {self.typed('ptr')} to {wide}")
        elif kind == 1:
            self.make("ptr", f"inttoptr {self.typed(wide)} to ptr")
        elif kind == 2:
            self.make("ptr", f"select {self.typed('i1')}, {self.typed('ptr')}, {self.typed('ptr')}")
        elif kind == 3:
            self.make("ptr addrspace(1)", f"addrspacecast {self.typed('ptr')} to ptr addrspace(1)")
        else:
            self.make("ptr", f"freeze {self.typed('ptr')}")

    def _call(self) -> None:
        if self.random.random() < 0.7:
            name, (result, parameters) = self.random.choice([*self.program.signatures.items()])
            self.call(f"@{name}", result, parameters)
        else:  # as whatever it is not
            types = [self.program.type() for _ in range(self.random.randrange(3))]
            result = self.random.choice(("void", "i32", "ptr", "{}", "i128"))
            self.call(self.value("ptr"), result, types)

    def _declared(self) -> None:
        if self.program.is_traceable:
            return
        name, (result, parameters) = self.random.choice([*DECLARED.items()])
        self.call(f"@{name}", result, parameters)

    def _marker(self) -> None:
        end = self.random.choice(("start", "end"))
        size = self.random.choice(("-1", "0", "1", "4", "1099511627776"))
        self.do(f"call void @llvm.lifetime.{end}.p0(i64 {size}, {self.typed('ptr')})")

    def _masked(self) -> None:
        if self.program.is_traceable:
            return
        mask = "<4 x i1> " + self.random.choice(("zeroinitializer", "poison"))
        data = self.typed("<4 x i32>")
        kind = self.random.randrange(3)
        if kind == 0:
            pointer = self.typed("ptr")
            self.make(
                "<4 x i32>",
                f"call <4 x i32> @llvm.masked.load.v4i32.p0({pointer}, i32 1, {mask}, {data})",
            )
        elif kind == 1:
            pointer = self.typed("ptr")
            self.do(f"call void @llvm.masked.store.v4i32.p0({data}, {pointer}, i32 1, {mask})")
        else:
            name = "@llvm.masked.scatter.v4i32.v4p0"
            self.do(f"call void {name}({data}, <4 x ptr> poison, i32 1, {mask})")

    def _arithmetic(self) -> None:
        type_ = self.random.choice((*ODD, "i32", "<4 x i32>"))
        name = self.random.choice(("add", "mul", "udiv", "srem", "shl", "xor", "sub nsw"))
        self.make(type_, f"{name} {self.typed(type_)}, {self.value(type_)}")
        self.make("i1", f"icmp slt {self.typed('i64')}, {self.value('i64')}")

    def _by_value(self) -> None:
        type_ = self.random.choice((*EMPTY, "{ i8, i32 }", "[2 x { i8, i24 }]"))
        self.do(f"call void @copied(ptr byval({type_}) {self.value('ptr')})")

    def _other(self) -> None:
        kind = self.random.randrange(5)
        if kind == 0 and not self.program.is_traceable:
            self.do(f"call void {self.random.choice(ASSEMBLY)}")
        elif kind == 1 and self.is_variadic:
            self.do(f"call void @llvm.va_start.p0({self.typed('ptr')})")
            type_ = self.program.type()
            if "vscale" not in type_ and not self.program.is_traceable:
                self.make(type_, f"va_arg {self.typed('ptr')}, {type_}")
        elif kind == 2:
            self.make("ptr", "call ptr @llvm.stacksave.p0()")
        elif kind == 3:
            self.do(f"call void @llvm.va_copy.p0({self.typed('ptr')}, {self.typed('ptr')})")
        else:
            self.do(f"call void @llvm.prefetch.p0({self.typed('ptr')}, i32 0, i32 3, i32 1)")

    def _leave(self) -> str:
        kind = self.random.random()
        if kind < 0.15:
            return "  unreachable"
        if kind < 0.3 and not self.is_variadic:  # nothing comes back, so no base
            arguments = ", ".join(f"{one} %p{i}" for i, one in enumerate(self.parameters))
            tail = f"musttail call {self.result} @{self.name}({arguments})"
            if self.result == "void":
                return f"  {tail}\n  ret void"
            return f"  %last{self.count} = {tail}\n  ret {self.result} %last{self.count}"
        return "  ret void" if self.result == "void" else f"  ret {self.typed(self.result)}"

    def _terminator(self) -> tuple[str, list[str]]:
        """Write the end of a block; and the blocks behind it."""
        later = self.blocks[1:]  # nothing leads to the entry
        if not later or self.random.random() < 0.25:
            return self._leave(), []
        choose = self.random.choice
        one, other = choose(later), choose(later)
        kind = self.random.randrange(6)
        if kind == 0:
            return f"  br label %{one}", [one]
        if kind == 1:
            return f"  br {self.typed('i1')}, label %{one}, label %{other}", [one, other]
        if kind == 2:
            type_ = choose((*ODD, "i32"))
            cases = "" if choose((True, False)) else f"{type_} 0, label %{other}"
            return (
                f"  switch {self.typed(type_)}, label %{one} [ {cases} ]",
                [one, other] if cases else [one],
            )
        if kind == 3:
            address = f"blockaddress(@{self.name}, %{one})"
            ways = choose((f"label %{one}", f"label %{one}, label %{other}", ""))
            targets = [one, other][: ways.count("label")]
            return f"  indirectbr ptr {address}, [{ways}]", targets
        if kind == 4 and not self.program.is_traceable:
            return (
                f'  callbr void asm "", "!i"() to label %{one} [label %{other}]',
                [one, other],
            )
        if self.has_landing:
            return f"  invoke void @nothing() to label %{one} unwind label %pad", [one]
        return f"  br label %{one}", [one]

    def text(self) -> str:
        """Write the function."""
        parameters = [f"{one} %p{i}" for i, one in enumerate(self.parameters)]
        self.known += [(f"%p{i}", one) for i, one in enumerate(self.parameters)]
        body: dict[str, list[str]] = {}
        ends: dict[str, str] = {}
        before: dict[str, list[str]] = {one: [] for one in self.blocks}
        entry_known: list[tuple[str, str]] = []
        for number, block in enumerate(self.blocks):
            self.known = list(entry_known) if number else self.known
            self.lines = []
            for _ in range(self.random.randrange(self.program.density)):
                self.instruction()
            ends[block], ways = self._terminator()
            for way in ways:
                before[way].append(block)
            body[block] = self.lines
            if number == 0:
                entry_known = list(self.known)
        lines = []
        for block in self.blocks:
            lines.append(f"{block}:")
            if before[block] and self.random.random() < 0.6:
                self.known = entry_known
                type_ = self.program.type()
                # All that come from one block bring one value.
                values = {one: self.value(type_) for one in before[block]}
                arrivals = ", ".join(f"[ {values[one]}, %{one} ]" for one in before[block])
                lines.append(f"  %phi_{block} = phi {type_} {arrivals}")
            lines += [*body[block], ends[block]]
        if any("%pad" in end for end in ends.values()):
            lines += ["pad:", "  %pad_ = landingpad { ptr, i32 } cleanup catch ptr null"]
            lines.append("  resume { ptr, i32 } %pad_")
        if self.is_variadic:
            parameters.append("...")
        linkage = "" if self.name == "main" else self.random.choice(("internal ", "", "weak "))
        words = self.random.choice(("", "", "noreturn ", "nounwind ", "vscale_range(1,16) "))
        words += "personality ptr @__gxx_personality_v0 " if self.has_landing else ""
        head = f"define {linkage}{self.result} @{self.name}({', '.join(parameters)}) {words}{{"
        return "\n".join([head, *lines, "}"])


class _Program:
    """A module while it is written."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - nothing is secret
        self.density = self.random.choice((3, 8, 20))
        # Hardly ever, since one value without a known size is a reason to refuse all.
        self.has_huge = self.random.random() < 0.15
        self.has_scalable = self.random.random() < 0.1
        # With nothing that the oracle refuses to trace.
        self.is_traceable = self.random.random() < 0.3
        self.pointers: list[str] = []
        self.signatures: dict[str, tuple[str, list[str]]] = {}

    def type(self) -> str:
        """Choose a type that a value in memory may have."""
        kinds = [EMPTY, EMPTY, ODD, PLAIN, PLAIN, WIDE]
        kinds += [HUGE] if self.has_huge else []
        kinds += [SCALABLE] if self.has_scalable else []
        return self.random.choice(self.random.choice(kinds))

    def _globals(self) -> list[str]:
        lines = []
        for number in range(self.random.randrange(6)):
            name = f"@g{number}"
            words = ("internal global", "global", "constant", "internal constant", "weak global",
                     "internal thread_local global", "internal unnamed_addr constant")  # fmt: skip
            type_ = self.random.choice(self.random.choice((*(EMPTY, ODD, PLAIN, WIDE) * 4, HUGE)))
            section = self.random.choice(("", "", "", ', section "mine"', ", align 4096"))
            value = self.random.choice(("zeroinitializer", "zeroinitializer", "undef"))
            lines.append(f"{name} = {self.random.choice(words)} {type_} {value}{section}")
            self.pointers.append(name)
        lines.append("@outer = external global {}")
        lines.append("@opaque = external global %opaque")
        lines.append("@table = internal global [2 x ptr] [ptr @nothing, ptr @table]")
        lines.append("@alias = internal alias i8, getelementptr (i8, ptr @table, i64 8)")
        lines.append("@other = internal alias void (), ptr @nothing")
        self.pointers += ["@outer", "@opaque", "@table", "@alias", "@other", "@nothing"]
        self.pointers.append("getelementptr ([0 x {}], ptr @table, i64 -1, i64 7)")
        if self.random.random() < 0.2 and not self.is_traceable:
            lines.append("@chosen = internal ifunc void (), ptr @choose")
            lines.append("define internal ptr @choose() {\n  ret ptr @nothing\n}")
            self.pointers.append("@chosen")
        if self.random.random() < 0.2:
            value = self.random.choice(("zeroinitializer", "undef"))
            type_ = self.random.choice(("[0 x { i32, ptr, ptr }]", "[1 x { i32, ptr, ptr }]"))
            lines.append(f"@llvm.global_ctors = appending global {type_} {value}")
        return lines

    def text(self) -> str:
        """Write the module."""
        layout, triple = self.random.choice(LAYOUTS)
        if self.is_traceable:
            triple = "x86_64-pc-linux-gnu"
        lines = [f'target datalayout = "{layout}"'] if layout else []
        lines += [f'target triple = "{triple}"'] if triple else []
        lines += ["%opaque = type opaque", *self._globals()]
        functions = [f"f{number}" for number in range(self.random.randrange(4))]
        for name in functions:
            types = [self.type() for _ in range(self.random.randrange(3))]
            result = self.random.choice(("void", "void", self.type()))
            self.signatures[name] = (result, types)
            self.pointers.append(f"@{name}")
        self.signatures["main"] = ("i32", [])
        for name, (result, parameters) in self.signatures.items():
            lines.append(_Function(self, name, result, parameters).text())
        lines.append("define internal void @nothing() {\n  ret void\n}")
        lines.append("define internal void @copied(ptr byval({ i8, i32 }) %one) {\n  ret void\n}")
        lines += [
            f"declare {result} @{name}({', '.join(parameters)})"
            for name, (result, parameters) in DECLARED.items()
        ]
        lines.append("declare i32 @__gxx_personality_v0(...)")
        return "\n".join(lines) + "\n"


def degenerate_program(seed: int) -> str:
    """Write a module in text; LLVM's verifier refuses some of them."""
    return _Program(seed).text()
