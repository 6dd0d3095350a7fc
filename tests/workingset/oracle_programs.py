# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs of one feature each, which every proof must hold for."""

PROGRAMS = {
    "a table that a call reads": """
static int table[4];
static int sum(void) { int s = 0; for (int i = 0; i < 4; i++) s += table[i]; return s; }
int main(void) { for (int i = 0; i < 4; i++) table[i] = i; return sum() - 6; }
""",
    "a caller's array across a call": """
static int next(int *counter) { return ++*counter; }
int main(void) {
    int counter = 0, kept[3] = {1, 2, 3};
    next(&counter); next(&counter);
    return kept[0] + kept[1] + kept[2] - 3 * counter;
}
""",
    "a struct by value": """
struct pair { int first, second, third, fourth, fifth; };
static int sum(struct pair pair) { pair.first++; return pair.first + pair.fifth; }
int main(void) { struct pair pair = {1, 2, 3, 4, 5}; return sum(pair) + sum(pair) - 14; }
""",
    "a struct by value without a name": """
#include <stdarg.h>
struct pair { int *first; long second, third; };
static struct pair pair;
static int value;
static int sum(int n, ...) {
    va_list list; va_start(list, n);
    struct pair pair = va_arg(list, struct pair);
    va_end(list);
    return *pair.first + (int)pair.second;
}
int main(void) { value = 5; pair.first = &value; pair.second = 3; return sum(1, pair) - 8; }
""",
    "structs by value without a name where one with a name was": """
#include <stdarg.h>
struct row { double at[6]; };
static double first(struct row row) { row.at[0] += 1; return row.at[0] + row.at[5]; }
static double sum(int count, ...) {
    double all = 0;
    va_list rows; va_start(rows, count);
    for (int i = 0; i < count; i++) {
        struct row row = va_arg(rows, struct row);
        all += row.at[1] + row.at[4];
    }
    va_end(rows);
    return all;
}
int main(void) {
    struct row row = {{1, 2, 3, 4, 5, 6}};
    double before = first(row);
    return (int)(before + sum(2, row, row)) - 22;
}
""",
    "padding that a struct's copy takes along and a comparison reads": """
#include <string.h>
struct pair { char first; int second; };
static struct pair one, other;
int main(int argc, char **argv) {
    (void)argv;
    memset(&one, 7, sizeof one);
    one.first = 1; one.second = argc + 1;
    other = one;
    return memcmp(&one, &other, sizeof one);
}
""",
    "copies of nothing at an index, and structs without members": """
#include <string.h>
struct nothing {};
static char table[4];
static struct nothing left[4], right[4];
int main(int argc, char **argv) {
    (void)argv;
    table[argc & 3] = 1;
    memcpy(&table[argc & 3], &table[(argc + 1) & 3], 0);
    memset(&table[argc & 3], 0, 0);
    left[argc & 3] = right[argc & 3];
    return table[argc & 3] - 1;
}
""",
    "a table of labels": """
static int count(int turns) {
    static void *labels[] = {&&one, &&two, &&done};
    int sum = 0;
    goto *labels[turns & 1];
one: sum += 1;
two: sum += 2; turns--;
    goto *labels[turns > 0 ? sum & 1 : 2];
done: return sum;
}
int main(int argc, char **argv) { return count(argc + 3) - 9; }
""",
    "recursion that needs its frames afterwards": """
static int depth(int n, int *above) {
    int mine[2] = {n, *above};
    if (n > 0) depth(n - 1, mine);
    return mine[0] + mine[1];
}
int main(void) { int start = 5; return depth(4, &start) - 9; }
""",
    "a large frame that was left while its caller goes on": """
static int sum(int n) {
    int a[512], s = 0;
    for (int i = 0; i < 512; i++) a[i] = n;
    for (int i = 0; i < 512; i++) s += a[i];
    return s;
}
int main(void) {
    int r = 0;
    for (int i = 0; i < 3; i++) { r += sum(i); if (r > 512) r++; }
    return r - 3 * 512 - 1;
}
""",
    "blocks of the heap": """
#include <stdlib.h>
int main(void) {
    int *a = malloc(8), *b = malloc(8);
    a[0] = 3; a[1] = 4; b[1] = a[0];
    b[1] += a[1]; a = realloc(a, 16); a[2] = b[1];
    int r = a[2] - 7; free(a); free(b); return r;
}
""",
    "exit() from below, with a handler": """
#include <stdio.h>
#include <stdlib.h>
static char table[4] = "ab";
static void at_end(void) { puts(table); }
static void leave(void) { exit(0); }
int main(void) { atexit(at_end); leave(); return 1; }
""",
    "destructors that run after the exit handlers": """
#include <stdio.h>
#include <stdlib.h>
static int table[4];
static void tell(int i) { printf("%d", table[i]); }
__attribute__((destructor(101))) static void last(void) { tell(1); tell(2); }
__attribute__((destructor)) static void first(void) { tell(3); table[1] = 5; }
static void handle(void) { table[3] = 7; tell(0); }
int main(void) {
    atexit(handle);
    for (int i = 0; i < 4; i++) table[i] = i;
    exit(0);
}
""",
    "commands that are found by the linker's symbols of their section": """
struct command { int number, calls; };
#define COMMAND(name, n) \\
    static struct command name __attribute__((used, section("commands"))) = {n, 0}
COMMAND(stop, 1);
COMMAND(go, 2);
extern struct command __start_commands[], __stop_commands[];
int main(void) {
    int sum = 0;
    stop.calls = 5;
    go.calls = 7;
    for (struct command *c = __start_commands; c < __stop_commands; c++) sum += c->calls;
    return sum - 12;
}
""",
    "functions that the source itself puts before main and behind it": """
#include <stdlib.h>
static int table[3];
static void early(void) { table[1] = 9; }
static void late(void) { if (table[2] != 5) abort(); }
__attribute__((section(".init_array"), used)) static void (*first[1])(void) = {early};
__attribute__((section(".fini_array"), used)) static void (*last)(void) = late;
int main(void) { int read = table[1]; table[2] = 5; return read - 9; }
""",
    "variables of the environment that the program puts there": """
#include <stdlib.h>
extern char **environ;
static char variable[4] = "Ax", *table[2];
int main(int argc, char **argv) {
    (void)argv;
    variable[1] = argc == 1 ? '=' : 'x'; table[0] = variable; environ = table;
    return !getenv("A");
}
""",
    "a value of the last round that is used after the loop": """
int main(int argc, char **argv) {
    (void)argv;
    int i = argc, last;
    do { last = i; i += 2; } while (i < 9); /* 1, 3, 5, 7 */
    return last - 7;
}
""",
    "a table of functions": """
static int add(int a) { return a + 1; }
static int twice(int a) { return a * 2; }
static int (*const table[2])(int) = {add, twice};
int main(void) { int r = 1; for (int i = 0; i < 4; i++) r = table[i & 1](r); return r - 10; }
""",
    "elements that qsort() compares": """
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
    int a[5] = {3, 1, 4, 1, 5};
    qsort(a, 5, sizeof(a[0]), compare); return a[0] + a[4] - 6;
}
""",
    "a table that bsearch() looks through": """
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
    int a[5] = {1, 2, 4, 8, 9}, key = 8;
    return *(int *)bsearch(&key, a, 5, sizeof(a[0]), compare) - 8;
}
""",
    "what realloc() keeps": """
#include <stdlib.h>
int main(void) {
    int *a = malloc(8); a[1] = 4;
    a = realloc(a, 16); int r = a[1] - 4; free(a); return r;
}
""",
    # glibc: of nothing it is malloc(), to nothing it frees and returns NULL.
    "realloc() of nothing and to nothing": """
#include <stdlib.h>
int main(int argc, char **argv) {
    (void)argv;
    int *a = realloc(NULL, 8 * (size_t)argc); a[1] = 4;
    int r = a[1] - 4; a = realloc(a, (size_t)argc - 1); return r + (a != NULL);
}
""",
    "an allocator that is called through a pointer": """
#include <stdlib.h>
static void *(*volatile allocate)(size_t) = malloc;
int main(int argc, char **argv) {
    (void)argv;
    int *a = allocate(8); a[0] = argc; a[1] = 3;
    int r = a[0] + a[1] - 4; free(a); return r;
}
""",
    "zeros of calloc()": """
#include <stdlib.h>
int main(void) { int *b = calloc(2, 4); b[1] = 3; int r = b[0]; free(b); return r; }
""",
    "a copy made by strdup()": """
#include <stdlib.h>
#include <string.h>
int main(void) { char *b = strdup("ab"); int r = b[0] - b[1] + 1; free(b); return r; }
""",
    "a count that printf() stores": """
#include <stdio.h>
int main(void) { int n; printf("abc%n\\n", &n); return n - 3; }
""",
    "text that is printed from a list of arguments": """
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
static char word[8], other[8], line[16];
static int tell(char *to, const char *format, ...) {
    va_list list; va_start(list, format);
    int length = to ? vsprintf(to, format, list) : vprintf(format, list);
    va_end(list); return length;
}
static int cut(char *to, int size, const char *format, ...) {
    va_list list; va_start(list, format);
    int length = vsnprintf(to, size, format, list);
    va_end(list); return length;
}
int main(void) {
    char short_line[4];
    strcpy(word, "word"); strcpy(other, "other");
    int sum = tell(line, "%s %d", word, 7) + (int)strlen(line); /* "word 7": 6 + 6 */
    sum += cut(short_line, 4, "%.9s", other) + (int)strlen(short_line); /* 5 + 3 */
    return sum + tell(NULL, "%s\\n", other) - 26; /* 6 */
}
""",
    "a zone whose name strftime() finds in a date": """
#include <string.h>
#include <time.h>
static char zone[4];
int main(void) {
    struct tm date;
    char text[8];
    memset(&date, 0, sizeof date);
    strcpy(zone, "LAX"); date.tm_zone = zone;
    return (int)strftime(text, sizeof text, "%Z", &date) - 3 + (text[0] != 'L');
}
""",
    "words that strtok() finds one after the other": """
#include <string.h>
static char text[16], separators[4];
int main(void) {
    strcpy(text, " a bc,def "); strcpy(separators, " ,");
    int sum = 0, count = 0;
    for (char *word = strtok(text, separators); word; word = strtok(NULL, separators)) {
        sum += (int)strlen(word); count++;
    }
    return sum - 6 + count - 3 + (strtok(NULL, separators) != NULL);
}
""",
    "options that getopt() finds in words of the program": """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char name[] = "p", word[] = "w", option[] = "-n", number[] = "12";
int main(void) {
    char *words[5] = {name, word, option, number, NULL};
    int letter, sum = 0;
    while ((letter = getopt(4, words, "n:")) != -1) sum += letter == 'n' ? atoi(optarg) : 100;
    return sum - 12 + strcmp(words[optind], "w"); /* it stands behind the options now */
}
""",
    "variables of the C library": """
#include <errno.h>
#include <stdio.h>
extern char **environ;
static char text[4];
int main(int argc, char **argv) {
    (void)argv; text[0] = (char)('0' + argc); errno = argc;
    fprintf(stdout, "%s\\n", text); fputs(text, stderr);
    return errno - 1 + (environ == NULL);
}
""",
    "heap that a constructor fills": """
#include <stdlib.h>
static int *table;
__attribute__((constructor)) static void fill(void) {
    table = malloc(8); table[0] = 3; table[1] = 4;
}
int main(void) { return table[0] + table[1] - 7; }
""",
    "a function that exit() enters again below itself": """
#include <stdlib.h>
static int *kept, depth, total;
static void note(int n) {
    int both[2] = {n, n + 1};
    if (depth++ == 0) { kept = both; exit(0); }
    total += both[0] + both[1];
}
static void finish(void) { note(40); total += kept[0] + kept[1]; if (total != 96) _Exit(1); }
int main(void) { atexit(finish); note(7); return 1; }
""",
    "a loop whose only exit is the header of the one in it": """
static int table[4];
int main(int argc, char **argv) {
    (void)argv; int sum = 0;
    for (int i = 0; i < 4; i++) table[i] = argc + i;
    for (int k = 0; k < 3; k++) {
        for (;;)
            for (int j = 0;; j++) {
                sum += table[j];
                if (j >= 3) goto out;
                if (j * 2 >= 10) break;
            }
    out:
        for (int i = 0; i < 4; i++) table[i] = k;
    }
    return sum - 14;
}
""",
    "a struct by value in a function that only reads": """
struct big { int a[10]; };
static struct big table;
__attribute__((noinline)) static int sum(struct big b) {
    int s = 0;
    for (int i = 0; i < 10; i++) s += b.a[i];
    return s;
}
int main(void) { for (int i = 0; i < 10; i++) table.a[i] = i; return sum(table) - 45; }
""",
    "text that the C library reads and writes": """
#include <stdio.h>
#include <string.h>
int main(void) {
    char a[16], b[16];
    snprintf(a, 16, "%s-%d", "x", 7); strcpy(b, a); puts(b);
    return (int)strlen(b) - 3;
}
""",
}
