# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the analysis knows of external functions: whatever is dropped from its table is noticed.

A row that is gone is sound, since the function may then touch everything that it reaches; the
oracle names it, because it knows the function. A column that is gone is a wrong row: the oracle
sees live bytes that are called dead, calls that cannot be, or blocks that are no object.
"""

import re
from pathlib import Path

import pytest
from tests.workingset.oracle_runs import ROOT, make_subject, must

# Each function reads an object of its own, so that nothing else keeps it alive.
PROGRAMS = {
    "strings": """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char a[4], b[4], c[4], d[4], e[4], f[4], g[4], h[4], i[4], j[4], k[4], l[4];
static char e2[4], f2[4], g2[4], h2[4], i2[4], j2[4], k2[4];
static void fill(char *text, int letter) { text[0] = letter; text[1] = 0; }
int main(int argc, char **argv) {
    (void)argv;
    int one = '0' + argc, sum = 0; /* "1" */
    char *end_i, *end_j, *end_k;
    fill(a, one); fill(b, one); fill(c, one); fill(d, one); fill(e, one); fill(f, one);
    fill(g, one); fill(h, one); fill(i, one); fill(j, one); fill(k, one); fill(l, one);
    fill(e2, one); fill(f2, one); fill(g2, one); fill(h2, one); fill(i2, one); fill(j2, one);
    fill(k2, one);
    sum += memchr(e2, one, argc + 1) == e2;
    sum += strchr(f2, one) == f2;
    sum += strrchr(g2, one) == g2;
    sum += strstr(h2, "1") == h2;
    sum += (int)strtol(i2, NULL, 10) + (int)strtoul(j2, NULL, 10) + (int)strtod(k2, NULL);
    sum += (int)strlen(a);
    sum += strcmp(b, "1") == 0;
    sum += strncmp(c, "1", argc + 1) == 0;
    sum += memcmp(d, "1", argc + 1) == 0;
    sum += *(char *)memchr(e, one, argc + 1) == one;
    sum += *strchr(f, one) == one;
    sum += *strrchr(g, one) == one;
    sum += *strstr(h, "1") == one;
    sum += (int)strtol(i, &end_i, 10) + *end_i;
    sum += (int)strtoul(j, &end_j, 10) + *end_j;
    sum += (int)strtod(k, &end_k) + *end_k;
    puts(l);
    return sum - 18;
}
""",
    "more strings": """
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static char a[4], b[4], c[4], d[4], e[4], f[4], g[4], h[4], i[4], j[4], k[4], l[4], m[4];
static char a2[4], e2[4], f2[4], g2[4], k2[4], l2[4], m2[4];
static void fill(char *text, int letter) { text[0] = letter; text[1] = 0; }
int main(int argc, char **argv) {
    (void)argv;
    int one = '0' + argc, sum = 0; /* "1" */
    char *end_k, *end_l, *end_m;
    fill(a2, one); fill(e2, one); fill(f2, one); fill(g2, one); fill(k2, one); fill(l2, one);
    fill(m2, one);
    sum += memrchr(a2, one, argc + 1) == a2;
    sum += index(e2, one) == e2;
    sum += rindex(f2, one) == f2;
    sum += strpbrk(g2, "21") == g2;
    sum += (int)strtoll(k2, NULL, 10) + (int)strtoull(l2, NULL, 10) + (int)strtof(m2, NULL);
    fill(a, one); fill(b, one); fill(c, one); fill(d, one); fill(e, one); fill(f, one);
    fill(g, one); fill(h, one); fill(i, one); fill(j, one); fill(k, one); fill(l, one);
    fill(m, one);
    sum += *(char *)memrchr(a, one, argc + 1) == one;
    sum += (int)strnlen(b, argc + 1);
    sum += strcasecmp(c, "1") == 0;
    sum += strncasecmp(d, "1", argc + 1) == 0;
    sum += *index(e, one) == one;
    sum += *rindex(f, one) == one;
    sum += *strpbrk(g, "21") == one;
    sum += (int)strspn(h, "1");
    sum += (int)strcspn(i, "2");
    char *copy = strndup(j, argc + 1);
    sum += copy[0] == one;
    free(copy);
    sum += (int)strtoll(k, &end_k, 10) + *end_k;
    sum += (int)strtoull(l, &end_l, 10) + *end_l;
    sum += (int)strtof(m, &end_m) + *end_m;
    return sum - 20;
}
""",
    "copies": """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
static char a[4], b[4], e[4], f[4], h[4], i[4], j[4], k[4], l[4], m[4], c2[4], d2[4];
static void fill(char *text, int letter) { text[0] = letter; text[1] = 0; }
int main(int argc, char **argv) {
    (void)argv;
    int one = '0' + argc, sum = 0; /* "1" */
    char to_a[4], to_b[4], c[4], d[4], to_e[8], to_h[8], to_j[4], to_k[4], to_l[4], zeros[4];
    fill(a, one); fill(b, one); fill(c, one); fill(d, one); fill(e, one); fill(f, one);
    fill(h, one); fill(i, one); fill(j, one); fill(k, one); fill(l, one); fill(m, one);
    sum += strcpy(to_a, a)[0];
    sum += strncpy(to_b, b, argc + 1)[0];
    fill(c2, one); fill(d2, one); strcat(c2, "2"); strncat(d2, "2", argc); /* reads only */
    sum += strcat(c, "2")[argc + 1]; /* "12": the NUL, which fill() did not write */
    sum += strncat(d, "2", argc)[argc + 1];
    snprintf(to_e, sizeof(to_e), "%s", e);
    sprintf(to_h, "%s", h);
    char *copy = strdup(f);
    sum += to_e[0] + to_h[0] + copy[0];
    free(copy);
    printf("%s", i);
    fflush(stdout);
    sum += ((char *)mempcpy(to_j, j, argc + 1))[-argc - 1];
    sum += stpcpy(to_k, k)[-argc];
    bcopy(l, to_l, argc + 1);
    bzero(zeros, argc + 1);
    dprintf(1, "%s", m);
    return sum + to_l[0] + zeros[argc] - 8 * '1';
}
""",
    "more blocks": """
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    (void)argv;
    int *a = aligned_alloc(16, 16 * argc), *b = memalign(16, 16 * argc), *c = valloc(8 * argc);
    a[0] = argc; b[0] = argc; c[0] = argc;
    a = reallocarray(a, argc, 32);
    int sum = a[0] + b[0] + c[0];
    free(a); free(b); free(c); return sum - 3;
}
""",
    "files and clocks": """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static char device[16], text[4], reading[4], name[4], missing[16], other[16], why[4];
static char removed[16], out[4], format[4];
static void fill(char *text, const char *from) { while ((*text++ = *from++)) {} }
int main(int argc, char **argv) {
    (void)argv;
    int sum = 0, pid, number;
    char bytes[4], line[8], word[4], block[4];
    time_t now; struct timeval day; struct timespec clock_now;
    fill(device, "/dev/zero"); fill(text, "7 x"); fill(reading, "r"); fill(name, "PA");
    fill(missing, "/none/x"); fill(other, "/none/y"); fill(why, "no"); fill(format, "abc");
    fill(removed, "/none/z"); fill(out, "y\\n");
    int fd = open(device, O_RDONLY);
    sum += (int)read(fd, bytes, 2) + bytes[argc]; /* 2 */
    close(fd);
    sum += (int)write(1, format, 1); /* 1 */
    sum += time(&now) == now; /* 1 */
    gettimeofday(&day, NULL); clock_gettime(CLOCK_REALTIME, &clock_now);
    sum += day.tv_sec >= now && clock_now.tv_sec >= now; /* 1 */
    sum += getenv(name) == NULL; /* 1 */
    sum += remove(removed) + rename(missing, other); /* -2 */
    perror(why);
    sum += sscanf(text, "%d %3s", &number, word) + number + (word[0] == 'x'); /* 2 + 7 + 1 */
    FILE *file = fopen("/proc/self/stat", reading);
    sum += fscanf(file, "%d", &pid) + (pid > 0); /* 2 */
    sum += *fgets(line, argc + 3, file) == ' '; /* 1 */
    sum += (int)fread(block, 1, argc, file) + (block[0] != 0); /* 2 */
    fclose(file);
    sum += (int)fwrite(out, 1, argc, stdout); /* 1 */
    fputs(text, stderr);
    return sum - 20;
}
""",
    "names of files and dates": """
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static char a[16], b[16], c[16], d[16], e[16], f[4], g[4], h[16], i[4], j[4], k[4], l[4];
static time_t m, n, o, p, q;
static struct tm r;
static void fill(char *text, const char *from) { while ((*text++ = *from++)) {} }
int main(int argc, char **argv) {
    (void)argv;
    struct stat status, link_status, open_status;
    struct tm local, world, date;
    char text[8];
    int sum = 0;
    fill(a, "/none/a"); fill(b, "/none/b"); fill(c, "/none/c"); fill(d, "/dev/zero");
    fill(e, "/dev/zero"); fill(f, "r"); fill(g, "r"); fill(h, "/dev/zero"); fill(i, "1");
    fill(j, "1"); fill(k, "C"); fill(l, "%H");
    sum += unlink(a) + access(b, F_OK) + chmod(c, 0); /* -3 */
    sum += stat(d, &status) + lstat(e, &link_status); /* 0 */
    sum += S_ISCHR(status.st_mode) + S_ISCHR(link_status.st_mode); /* 2 */
    FILE *file = fdopen(open("/dev/zero", O_RDONLY), f);
    sum += fstat(fileno(file), &open_status) + S_ISCHR(open_status.st_mode); /* 1 */
    file = freopen(h, g, file);
    sum += getc(file) + isatty(fileno(file)); /* 0 */
    sum += strcoll(i, j) + (strcmp(setlocale(LC_ALL, k), "C") == 0); /* 1 */
    m = argc; n = argc; o = argc; p = argc; q = argc;
    sum += localtime(&m)->tm_sec + gmtime(&n)->tm_sec; /* 2 */
    sum += ctime(&o)[18] == '1'; /* "Thu Jan  1 00:00:01 1970" */
    sum += localtime_r(&p, &local)->tm_sec; /* 1 */
    sum += gmtime_r(&q, &world)->tm_sec; /* 1 */
    date.tm_year = 70; date.tm_mon = 0; date.tm_mday = argc; date.tm_isdst = 0;
    date.tm_hour = 0; date.tm_min = 0; date.tm_sec = argc;
    sum += mktime(&date) != -1; sum += date.tm_wday == 4; /* 2: it was a Thursday */
    r.tm_hour = 2 * argc;
    sum += (int)strftime(text, sizeof(text), l, &r) + (text[argc] == '2'); /* "02": 3 */
    sum += (int)difftime(4, 3); /* 1 */
    return sum - 12;
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
#define _GNU_SOURCE
#include <math.h>
static char payload[4], other_payload[4];
int main(int argc, char **argv) {
    (void)argv;
    int exponent, other_exponent, quotient; double whole, sine, cosine;
    float other_whole, other_sine, other_cosine;
    payload[0] = '0' + argc; other_payload[0] = '0' + argc;
    double sum = frexp(8.0 * argc, &exponent); sum += modf(2.5 * argc, &whole);
    sum += frexpf(8.0F * argc, &other_exponent); sum += modff(2.5F * argc, &other_whole);
    sincos(0.0 * argc, &sine, &cosine); sincosf(0.0F * argc, &other_sine, &other_cosine);
    sum += remquo(7.0 * argc, 2.0, &quotient);
    sum += isnan(nan(payload)) && isnan(nanf(other_payload));
    sum += sine + other_sine;
    /* 8 = 0.5 * 2^4, 2.5 = 2 + 0.5, 7 = 4 * 2 - 1; a cosine of 1 each; sum: 0.5 * 4 - 1 + 1 */
    return (int)(exponent + whole + other_exponent + other_whole + quotient + cosine + other_cosine)
        + (int)sum - 20;
}
""",
    "jumps": """
#include <setjmp.h>
static jmp_buf place; static sigjmp_buf other; static int kept;
static void leave(void) { longjmp(place, 1); }
static void leave_other(void) { siglongjmp(other, 1); }
int main(void) {
    kept = 3;
    if (!setjmp(place)) leave();
    if (!sigsetjmp(other, 0)) leave_other();
    return kept - 3;
}
""",
    # C++ from here
    "exceptions": """
struct Base { int code; };
struct Derived : Base { int more; ~Derived() { seen += code; } static int seen; };
int Derived::seen;
static int made;
static int make() { return ++made; }
static int once() { static int value = make(); return value; }
static void fail(int i) { Derived it; it.code = i; it.more = 4; throw it; }
int main(int argc, char **) {
    int *cell = new int(argc), *cells = new int[2 * argc];
    cells[0] = 1;
    try { try { fail(argc); } catch (const Base &b) { made += b.code; throw; } }
    catch (...) { made += 4; }
    int result = made - 5 + once() - 6 + *cell - cells[0] + Derived::seen - 2;
    delete cell; delete[] cells; return result;
}
""",
}

# Dropped without a live byte that is called dead, and why.
HARMLESS = {
    "abort:effect": "that it does not return only makes sets smaller",
    "realloc:reads": "what it copies is read again, under the name of the old block",
    "reallocarray:reads": "the same",
    "qsort:reads": "order() reads the same elements",
    "qsort:writes": "what it moves has been written before",
    "fopen:returns": "a stream is the C library's",
    "fdopen:returns": "the same",
    "freopen:returns": "the same",
    "getenv:returns": "so is what it finds",
    "setlocale:returns": "so is the name of a locale",
    "localtime:returns": "so is the date that it makes",
    "gmtime:returns": "the same",
    "ctime:returns": "so is its text",
    "longjmp:reads": "where a jump may lead is not known, so all is live at it",
    "siglongjmp:reads": "the same",
    "_setjmp:writes": "with jumps, all counts as written",
    "__sigsetjmp:writes": "the same",
    "_setjmp:effect": "that it returns twice is an attribute of the call",
    "__sigsetjmp:effect": "the same",
    "_ZSt9terminatev:effect": "that it does not return only makes sets smaller",
    "_Znam:effect": "it throws where there is no memory, which no run comes to",
    "_Znwm:effect": "the same",
    "__cxa_begin_catch:escapes": "the throw has given the exception away",
    "__cxa_begin_catch:returns": "the end of the handler may read all of the exception",
    "__cxa_guard_acquire:reads": "the release reads the same",
    "__cxa_guard_acquire:writes": "a global has been written from the start",
    "__cxa_guard_release:writes": "the same",
}


def read_table() -> dict[str, dict[str, str]]:
    """The columns of every row of the analysis's table."""
    text = (ROOT / "workingset/analysis/external_models.def").read_text(encoding="utf-8")
    columns = ("reads", "writes", "returns", "escapes", "effect")
    rows = re.findall(r"^MODEL\(([^\n]*)\)$", text, re.MULTILINE)
    values = [re.findall(r'"([^"]*)"', row) for row in rows]
    return {name: dict(zip(columns, rest, strict=True)) for name, *rest in values}


def test_an_allocator_that_returns_nothing_is_noticed(tmp_path: Path) -> None:
    subject = make_subject(PROGRAMS["blocks"], tmp_path)
    subject.trace()
    (unknown,) = subject.judge_faulty("--drop", "calloc:returns")["unknown_allocations"]
    # The line of calloc(argc, 8): its block is read, and is no object of the analysis.
    assert (unknown["opcode"], unknown["line"]) == ("call", 8)


@pytest.mark.parametrize("name", PROGRAMS)
def test_whatever_is_dropped_from_the_table_is_noticed(name: str, tmp_path: Path) -> None:
    subject = make_subject(PROGRAMS[name], tmp_path, "cpp" if name == "exceptions" else "c")
    assert subject.trace().returncode == 0
    assert subject.judge()["status"] == "covered"
    must("opt-19", "-passes=globaldce", subject.bitcode, "-o", tmp_path / "used.bc")
    called = must("llvm-nm-19", "-u", "--format=just-symbols", tmp_path / "used.bc").stdout.split()
    rows = {row: columns for row, columns in read_table().items() if row in called}
    rows.pop("__gxx_personality_v0", None)  # named by functions, called by nobody
    assert len(rows) > 1
    unnoticed = set()
    for row, columns in rows.items():
        verdict = subject.judge_faulty("--drop", row)
        assert verdict["externals_without_model"] == [row]
        for column in ("reads", "writes", "returns", "escapes", "effect"):
            # Nobody has been given anything to keep. Which format is a constant, and so what the
            # row says, is looked up for its own sake.
            if columns[column] in ("", "kept") or columns[column].startswith("formats"):
                continue
            if subject.judge_faulty("--drop", f"{row}:{column}")["status"] == "covered":
                unnoticed.add(f"{row}:{column}")
    assert unnoticed == {part for part in HARMLESS if part.split(":")[0] in rows}
