# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Write the numbers of system calls that the kernel's headers of each processor define.

    call_numbers.py HEADER ISA MACHINE COMPILER ...

MACHINE is the constant of <elf.h> for programs of the ISA. Class and order are as there, too.
"""

import re
import subprocess
import sys
from pathlib import Path

_HEADER = "#include <asm/unistd.h>\n"


def _preprocessed(compiler: str, text: str, *options: str) -> str:
    words = [compiler, "-E", "-P", *options, "-x", "c", "-"]
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout


def _table_of(isa: str, compiler: str) -> str:
    text = _preprocessed(compiler, _HEADER, "-dM")
    # In capitals they are limits and bases, and "syscalls" is how many there are.
    found = re.findall(r"^#define (__(?:ARM_)?NR_((?!syscalls\b)[a-z0-9_]+)) ", text, re.M)
    # The preprocessor puts the numbers in place of their names; some are sums.
    rows = "".join(f'{{"{name}", {number}}},\n' for number, name in sorted(found))
    begin = f"enum {{ {isa.upper()}_CLASS = __SIZEOF_POINTER__ == 8 ? 2 : 1,"
    end = f"{isa.upper()}_ORDER = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 2 : 1 }};"
    table = f"static const struct call_number {isa}_calls[] = {{\n{rows}}};\n"
    text = _preprocessed(compiler, f"{_HEADER}{begin}\n{end}\n{table}")
    return text[text.index(f"enum {{ {isa.upper()}_CLASS") :]


def main() -> None:
    """Write the header."""
    header, *words = sys.argv[1:]
    isas = [(words[i], words[i + 1], words[i + 2]) for i in range(0, len(words), 3)]
    tables = [_table_of(isa, compiler) for isa, _, compiler in isas]
    rows = "".join(
        f'{{"{isa}", {machine}, {isa.upper()}_CLASS, {isa.upper()}_ORDER, '
        f"{isa}_calls, sizeof {isa}_calls / sizeof {isa}_calls[0]}},\n"
        for isa, machine, _ in isas
    )
    text = f"static const struct laxity_sim_call_table call_tables[] = {{\n{rows}}};\n"
    Path(header).write_text("".join([*tables, text]), encoding="ascii")


main()
