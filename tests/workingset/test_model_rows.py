# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the analysis knows of external functions: whatever is dropped from its table is noticed.

A row that is gone is sound, since the function may then touch everything that it reaches; the
oracle names it, because it knows the function. A column that is gone is a wrong row: the oracle
sees live bytes that are called dead. Reads and effects are dropped here.
"""

import re
from pathlib import Path

import pytest
from tests.workingset.oracle_runs import ROOT, make_subject

# Each function reads an object of its own, so that nothing else keeps it alive.
PROGRAMS = {
    "strings": """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char a[4], b[4], c[4], d[4], e[4], f[4], g[4], h[4], i[4], j[4], k[4], l[4];
static void fill(char *text, int letter) { text[0] = letter; text[1] = 0; }
int main(int argc, char **argv) {
    (void)argv;
    int one = '0' + argc, sum = 0; /* "1" */
    fill(a, one); fill(b, one); fill(c, one); fill(d, one); fill(e, one); fill(f, one);
    fill(g, one); fill(h, one); fill(i, one); fill(j, one); fill(k, one); fill(l, one);
    sum += (int)strlen(a);
    sum += strcmp(b, "1") == 0;
    sum += strncmp(c, "1", argc + 1) == 0;
    sum += memcmp(d, "1", argc + 1) == 0;
    sum += memchr(e, one, argc + 1) == e;
    sum += strchr(f, one) == f;
    sum += strrchr(g, one) == g;
    sum += strstr(h, "1") == h;
    sum += (int)strtol(i, NULL, 10);
    sum += (int)strtoul(j, NULL, 10);
    sum += (int)strtod(k, NULL);
    puts(l);
    return sum - 11;
}
""",
    "copies": """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char a[4], b[4], c[4], d[4], e[4], f[4], h[4], i[4];
static void fill(char *text, int letter) { text[0] = letter; text[1] = 0; }
int main(int argc, char **argv) {
    (void)argv;
    int one = '0' + argc, sum = 0; /* "1" */
    char to_a[4], to_b[4], to_e[8], to_h[8];
    fill(a, one); fill(b, one); fill(c, one); fill(d, one); fill(e, one); fill(f, one);
    fill(h, one); fill(i, one);
    strcpy(to_a, a);
    strncpy(to_b, b, argc + 1);
    sum += to_a[0] + to_b[0];
    strcat(c, "2");
    strncat(d, "2", argc);
    snprintf(to_e, sizeof(to_e), "%s", e);
    sprintf(to_h, "%s", h);
    char *copy = strdup(f);
    sum += c[1] + d[1] + to_e[0] + to_h[0] + copy[0];
    free(copy);
    printf("%s", i);
    return sum - 5 * '1' - 2 * '2';
}
""",
    "blocks": """
#include <stdlib.h>
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv) {
    (void)argv;
    int *a = malloc(8 * argc); a[0] = 3; a[1] = 4;
    a = realloc(a, 16 * argc); a[2] = a[0] + a[1];
    int *b = calloc(argc, 8); int sum = a[2] + b[1];
    int c[3] = {3 * argc, argc, 2 * argc};
    qsort(c, 3, sizeof(c[0]), order);
    sum += c[0];
    free(a); free(b); return sum - 8;
}
""",
    "ends": """
#include <stdlib.h>
static int status;
static void at_end(void) { if (status != 3) abort(); }
static void leave(void) { exit(0); }
int main(void) { status = 3; atexit(at_end); leave(); return 1; }
""",
    "parts of numbers": """
#include <math.h>
int main(int argc, char **argv) {
    (void)argv;
    int exponent; double whole;
    double sum = frexp(8.0 * argc, &exponent); sum += modf(2.5 * argc, &whole);
    return (int)(exponent + whole) - 6; /* 8 = 0.5 * 2^4, 2.5 = 2 + 0.5 */
}
""",
}

# Dropped without a live byte that is called dead, and why.
HARMLESS = {
    "abort:effect": "that it does not return only makes sets smaller",
    "realloc:reads": "what it copies is read again, under the name of the old block",
    "qsort:reads": "order() reads the same elements",
    "strtol:effect": "no end pointer is asked for",
    "strtoul:effect": "no end pointer is asked for",
    "strtod:effect": "no end pointer is asked for",
}


def read_table() -> dict[str, dict[str, str]]:
    """The columns of every row of the analysis's table."""
    text = (ROOT / "workingset/analysis/external_models.def").read_text(encoding="utf-8")
    columns = ("reads", "writes", "returns", "escapes", "effect")
    rows = re.findall(r"^MODEL\(([^\n]*)\)$", text, re.MULTILINE)
    values = [re.findall(r'"([^"]*)"', row) for row in rows]
    return {name: dict(zip(columns, rest, strict=True)) for name, *rest in values}


@pytest.mark.parametrize("name", PROGRAMS)
def test_whatever_is_dropped_from_the_table_is_noticed(name: str, tmp_path: Path) -> None:
    subject = make_subject(PROGRAMS[name], tmp_path)
    assert subject.trace().returncode == 0
    assert subject.judge()["status"] == "covered"
    text = PROGRAMS[name]
    rows = {row: columns for row, columns in read_table().items() if re.search(rf"\b{row}\(", text)}
    unnoticed = set()
    for row, columns in rows.items():
        verdict = subject.judge_faulty("--drop", row)
        assert verdict["externals_without_model"] == [row]
        for column in ("reads", "effect"):
            # Which format is a constant, and so what the row says, is looked up for its own sake.
            if not columns[column] or columns[column].startswith("formats"):
                continue
            if subject.judge_faulty("--drop", f"{row}:{column}")["status"] == "covered":
                unnoticed.add(f"{row}:{column}")
    assert unnoticed == {part for part in HARMLESS if part.split(":")[0] in rows}
