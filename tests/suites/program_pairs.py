# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs in pairs of one shape: a dirty one, whose jobs are not all the first one, and a clean
one.

A row is the source of both: what differs is the job alone.
"""

from dataclasses import dataclass
from pathlib import Path

_INIT_MAIN_RETURN = """{includes}
static int has_run;
{data}
void {name}_init(void);
void {name}_main(void);
int {name}_return(void);
void {name}_init(void) {{ has_run = 0; {init} }}
void {name}_main(void) {{ has_run = 1; {job} }}
int {name}_return(void) {{ return !has_run; }}
int main(void) {{ {name}_init(); {name}_main(); return {name}_return(); }}
"""
_HOOKS = """{includes}
{data}
int benchmark_init(int argc, void **argv);
void benchmark_execution(int argc, void **argv);
void benchmark_teardown(int argc, void **argv);
int benchmark_init(int argc, void **argv) {{ (void)argc; (void)argv; {init} return 0; }}
void benchmark_execution(int argc, void **argv) {{ (void)argc; (void)argv; {job} }}
void benchmark_teardown(int argc, void **argv) {{ (void)argc; (void)argv; {teardown} }}
"""
_LOOP = "for (int i = 0; i < 64; i++) "


@dataclass(frozen=True, slots=True)
class Pair:
    """Two programs.

    Attributes:
        name: Of both, `dirty_` or `clean_` in front.
        proof: A class of the dirty one.
        dirty: Its job.
        clean: The job of the other one.
        data: Variables and functions of both.
        init: What both do before.
        teardown: What both do after, if they have hooks.
        includes: Headers beside the usual ones.
        has_hooks: RT-Bench's, in place of init, main and return.
        is_quick: One of the few that every run of the tests looks at.
    """

    name: str
    proof: str
    dirty: str
    clean: str
    data: str = ""
    init: str = ""
    teardown: str = ""
    includes: tuple[str, ...] = ()
    has_hooks: bool = False
    is_quick: bool = False

    def source(self, name: str, job: str) -> str:
        """Write one of them."""
        headers = ("stdint.h", "stdio.h", "stdlib.h", "string.h", *self.includes)
        return (_HOOKS if self.has_hooks else _INIT_MAIN_RETURN).format(
            includes="#define _GNU_SOURCE\n" + "".join(f"#include <{one}>\n" for one in headers),
            name=name,
            data=self.data,
            init=self.init,
            job=job,
            teardown=self.teardown,
        )


_NODES = """struct node { struct node *next; unsigned value; };
static struct node *head;
static void reverse(void) {
    struct node *turned = NULL;
    while (head) {
        struct node *next = head->next;
        head->next = turned; turned = head; head = next;
    }
    head = turned;
}"""
_MAKE_NODES = (
    "for (unsigned i = 0; i < 16; i++) { struct node *one = malloc(sizeof *one);"
    " one->next = head; one->value = i; head = one; }"
)
_NUMBERS = "static unsigned *b;"
_MAKE_NUMBERS = f"b = malloc(64 * sizeof *b); {_LOOP} b[i] = (unsigned)i;"

# Heap contents: the results are right in every job, the data that it works on are others.
HEAP = (
    Pair(
        "heap_numbers",
        "stale state",
        f"{_LOOP} b[i] = b[i] * 3 + 1;",
        f"{_LOOP} b[i] = (unsigned)i * 3 + 1;",
        _NUMBERS,
        _MAKE_NUMBERS,
    ),
    Pair(
        "heap_behind_hooks",
        "stale state",
        f"{_LOOP} b[i] = b[i] * 3 + 1;",
        f"{_LOOP} b[i] = (unsigned)i * 3 + 1;",
        _NUMBERS,
        _MAKE_NUMBERS,
        teardown="free(b);",
        has_hooks=True,
        is_quick=True,
    ),
    Pair(
        "heap_counter",
        "stale state",
        "s->jobs++;",
        "s->jobs = 1;",
        "struct state { unsigned jobs; }; static struct state *s;",
        "s = calloc(1, sizeof *s);",
    ),
    Pair(
        "heap_second_level",
        "stale state",
        "s->values[7] += 2;",
        "s->values[7] = 2;",
        "struct state { unsigned *values; }; static struct state *s;",
        "s = calloc(1, sizeof *s); s->values = calloc(8, sizeof *s->values);",
    ),
    Pair(
        "heap_list_values",
        "stale state",
        "for (struct node *one = head; one; one = one->next) one->value ^= 5;",
        "unsigned n = 0; for (struct node *one = head; one; one = one->next) one->value = n++;",
        _NODES,
        _MAKE_NODES,
    ),
    # The same nodes with the same values, in another order.
    Pair(
        "heap_list_order",
        "stale state",
        "reverse();",
        "reverse(); reverse();",
        _NODES,
        _MAKE_NODES,
        is_quick=True,
    ),
    Pair(
        "heap_tree",
        "stale state",
        "struct node *one = root->left; root->left = root->right; root->right = one;",
        "struct node *one = root->left; root->left = root->right; root->right = root->left;"
        " root->left = one;",
        "struct node { struct node *left, *right; unsigned value; }; static struct node *root;"
        " static struct node *kept;",
        "root = calloc(3, sizeof *root); root->left = root + 1; root->right = root + 2;"
        " kept = root;",
    ),
    # The bits below an address mean something.
    Pair(
        "heap_tag_bits",
        "stale state",
        "tagged ^= 1;",
        "tagged |= 1;",
        "static uintptr_t tagged;",
        "tagged = (uintptr_t)malloc(32);",
    ),
    Pair(
        "heap_cursor",
        "stale state",
        "cursor++;",
        "cursor = b + 4;",
        "static char *b; static char *cursor;",
        "b = calloc(1, 256); cursor = b;",
    ),
    Pair(
        "heap_odd_byte",
        "stale state",
        "b[12]++;",
        "b[12] = 1;",
        "static unsigned char *b;",
        "b = calloc(1, 13);",
    ),
    Pair(
        "heap_sum",
        "stale state",
        "*sum += 0.5;",
        "*sum = 0.5;",
        "static double *sum;",
        "sum = calloc(1, sizeof *sum);",
    ),
    Pair(
        "heap_grows",
        "stale state",
        "size += 8; b = realloc(b, size); b[size - 1] = 3;",
        "b = realloc(b, 8); b = realloc(b, 64); b[63] = 3;",
        "static unsigned char *b; static unsigned size;",
    ),
    Pair(
        "heap_text",
        "stale state",
        "text[0] = text[0] == 'a' ? 'b' : 'a';",
        'free(text); text = strdup("abc");',
        "static char *text;",
        'text = strdup("abc");',
    ),
    # What nobody has written is no result: blocks are handed out with what others have left there.
    Pair(
        "heap_remains",
        "stale state",
        "free(b); b = malloc(48); b[0] = ++jobs;",
        "free(b); b = malloc(48); b[0] = 1;",
        "static char *b; static char jobs;",
        "b = malloc(48); memset(b, 9, 48);",
        is_quick=True,
    ),
)
_THREAD = """static volatile unsigned x; static unsigned first = 1;
static void *work(void *rounds) {
    for (unsigned i = 0; i < *(unsigned *)rounds; i++) x = x * 7 + i;
    return NULL;
}
static void run(unsigned rounds, unsigned threads) {
    pthread_t started[4];
    x = 1;
    for (unsigned i = 0; i < threads; i++) pthread_create(&started[i], NULL, work, &rounds);
    for (unsigned i = 0; i < threads; i++) pthread_join(started[i], NULL);
    x = 0;
}"""

# Work of other threads: main's own is the same in each job.
THREADS = (
    Pair(
        "thread_first_job_is_more",
        "shrinking work",
        "run(first ? 280000 : 100000, 1); first = 0;",
        "run(100000, 1); first = 0;",
        _THREAD,
        includes=("pthread.h",),
        is_quick=True,
    ),
    Pair(
        "thread_of_two",
        "shrinking work",
        "run(first ? 300000 : 100000, 2); first = 0;",
        "run(100000, 2); first = 0;",
        _THREAD,
        includes=("pthread.h",),
    ),
    Pair(
        "thread_counts_down",
        "stale state",
        "run(100000 + 10000 * left, 1); if (left) left--;",
        "run(100000 + 10000 * left, 1);",
        f"{_THREAD} static unsigned left = 9;",
        includes=("pthread.h",),
    ),
    Pair(
        "thread_sorts_heap",
        "stale state",
        "sort(1);",
        "sort(0);",
        """static int *b; static int up;
static int compare(const void *x, const void *y) {
    const int a = *(const int *)x, b = *(const int *)y;
    return up ? (a > b) - (a < b) : (b > a) - (b < a);
}
static void *work(void *unused) { (void)unused; qsort(b, 4096, sizeof *b, compare); return NULL; }
static void sort(int turns) {
    pthread_t one;
    if (turns) up = !up; else for (int i = 0; i < 4096; i++) b[i] = i * 37 % 4096;
    pthread_create(&one, NULL, work, NULL);
    pthread_join(one, NULL);
}""",
        "b = malloc(4096 * sizeof *b); for (int i = 0; i < 4096; i++) b[i] = i * 37 % 4096;",
        includes=("pthread.h",),
    ),
)


def _attribute(
    name: str, change: str, back: str, includes: tuple[str, ...], data: str = ""
) -> Pair:
    """Make a pair of which one changes how its process runs, and the other one puts it back."""
    proof = "process attributes left"
    return Pair(f"leaves_{name}", proof, change, f"{change} {back}", data, includes=includes)


_SET_TIMER = "setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {900, 0}}, NULL);"
_SET_POLICY = "sched_setscheduler(0, %s, &(struct sched_param){0});"

# How its process runs after a job.
ATTRIBUTES = (
    # What vetting runs as itself, and a task does not.
    Pair(
        "leaves_policy_as_usual",
        "process attributes left",
        _SET_POLICY % "SCHED_OTHER",
        "int p = sched_getscheduler(0); sched_setscheduler(0, p, &(struct sched_param){0});",
        includes=("sched.h",),
        is_quick=True,
    ),
    Pair(
        "leaves_policy_idle",
        "process attributes left",
        "sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});",
        "int p = sched_getscheduler(0);" + _SET_POLICY % "SCHED_IDLE" + _SET_POLICY % "p",
        includes=("sched.h",),
    ),
    Pair(
        "leaves_nice",
        "process attributes left",
        "setpriority(PRIO_PROCESS, 0, 5);",
        "setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0));",
        includes=("sys/resource.h",),
    ),
    Pair(
        "leaves_cpus",
        "process attributes left",
        "cpu_set_t all; memset(&all, 255, sizeof all); sched_setaffinity(0, sizeof all, &all);",
        "cpu_set_t own; sched_getaffinity(0, sizeof own, &own);"
        " sched_setaffinity(0, sizeof own, &own);",
        includes=("sched.h",),
        is_quick=True,
    ),
    _attribute(
        "limits",
        "struct rlimit l; getrlimit(RLIMIT_STACK, &l); rlim_t was = l.rlim_cur;"
        " l.rlim_cur = 3 << 20; setrlimit(RLIMIT_STACK, &l);",
        "l.rlim_cur = was; setrlimit(RLIMIT_STACK, &l);",
        ("sys/resource.h",),
    ),
    _attribute("alarm", "alarm(900);", "alarm(0);", ("unistd.h",)),
    _attribute(
        "interval_timer",
        _SET_TIMER,
        "setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 0}}, NULL);",
        ("sys/time.h",),
    ),
    _attribute("file_mask", "mode_t was = umask(0077);", "umask(was);", ("sys/stat.h",)),
    _attribute(
        "blocked_signals",
        "sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR2); sigprocmask(SIG_BLOCK, &s, NULL);",
        "sigprocmask(SIG_UNBLOCK, &s, NULL);",
        ("signal.h",),
    ),
    _attribute("rounding", "fesetround(FE_UPWARD);", "fesetround(FE_TONEAREST);", ("fenv.h",)),
    Pair(
        "leaves_locked_memory",
        "process attributes left",
        "mlock(page, 4096);",
        "page[0] = 0;",
        "static char page[8192];",
        includes=("sys/mman.h",),
    ),
    Pair(
        "leaves_unlocked_memory",
        "process attributes left",
        "munlockall();",
        "page[0] = 0;",
        "static char page[8192];",
        includes=("sys/mman.h",),
    ),
    _attribute("environment", 'setenv("PAIR", "1", 1);', 'unsetenv("PAIR");', ()),
)

_WORK = (
    "static volatile unsigned x; static void work(unsigned n) { x = 0; while (n--) x += n; x = 0; }"
)


def _seeded(name: str, seed: str, includes: tuple[str, ...], data: str = "") -> Pair:
    """Make a pair of which one works as long as something says, the other one always as long."""
    return Pair(
        f"depends_on_{name}",
        "depends on time or randomness",
        f"{seed} work(2000 + 3000 * (unsigned)(n % 7));",
        f"{seed} work(2000 + 0 * (unsigned)n);",
        f"{_WORK} {data}",
        includes=includes,
    )


# Work that depends on when and where it is done; the result is the same.
PLACES = (
    _seeded("seconds", "const long n = (long)time(NULL);", ("time.h",)),
    _seeded(
        "time_of_day",
        "struct timeval t; gettimeofday(&t, NULL); const long n = (long)t.tv_sec;",
        ("sys/time.h",),
    ),
    _seeded(
        "elapsed_time",
        "struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a);"
        " clock_gettime(CLOCK_MONOTONIC, &b); const long n = (long)(b.tv_sec - a.tv_sec);",
        ("time.h",),
    ),
    _seeded("processor_time", "clock(); const long n = (long)(clock() / 1000);", ("time.h",)),
    _seeded("seed", "srand((unsigned)time(NULL)); const int n = rand();", ("time.h",)),
    _seeded(
        "heap_address",
        "char *volatile b = malloc(32); const uintptr_t n = (uintptr_t)b / 16; free(b);",
        (),
    ),
    _seeded("stack_address", "char here; const uintptr_t n = (uintptr_t)&here / 16;", ()),
)


def _beside(name: str, call: str, includes: tuple[str, ...], instead: str = "n = 7;") -> Pair:
    """Make a pair of which one keeps or learns something that nobody compares."""
    return Pair(
        name,
        "unwatched",
        f"static volatile long n; {call}",
        f"static volatile long n; {instead}",
        includes=includes,
    )


_WRITE = 'FILE *f = fopen("%s", "w"); if (f) { fputs("7", f); fclose(f); } n = 7;'

# What lies where nobody looks.
BESIDE = (
    _beside("file_by_absolute_path", _WRITE % "/var/tmp/laxity-pair", (), _WRITE % "pair"),  # noqa: S108 - the fault
    _beside(
        "file_above",
        'int f = open("../laxity-pair", O_RDWR | O_CREAT, 0600); if (f >= 0) close(f);'
        ' unlink("../laxity-pair"); n = 7;',
        ("fcntl.h", "unistd.h"),
        'int f = open("./pair", O_RDWR | O_CREAT, 0600); if (f >= 0) close(f);'
        ' unlink("pair"); n = 7;',
    ),
    _beside(
        "file_in_memory",
        'FILE *f = fopen("/dev/shm/laxity-pair", "a+"); if (f) fclose(f); n = 7;',
        (),
        'FILE *f = fopen("/dev/null", "a+"); if (f) fclose(f); n = 7;',
    ),
    _beside(
        "random_device",
        'unsigned char c = 0; FILE *f = fopen("/dev/urandom", "r");'
        " if (f) { n = fgetc(f); fclose(f); } n = c;",
        (),
        'FILE *f = fopen("/dev/zero", "r"); if (f) { n = fgetc(f); fclose(f); }',
    ),
    _beside("random_numbers", "char c; n = getrandom(&c, 1, 0); n = 7;", ("sys/random.h",)),
    _beside("process_number", "n = getpid(); n = 7;", ("unistd.h",), "n = getuid(); n = 7;"),
    _beside(
        "mapped_memory",
        "static char *m; if (!m) m = mmap(NULL, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"
        " m[0]++;",
        ("sys/mman.h",),
        "static char *m; if (!m) m = malloc(4096); m[0] = 1;",
    ),
    _beside(
        "shared_memory",
        'int f = shm_open("/laxity-pair", O_RDWR | O_CREAT, 0600); if (f >= 0) close(f); n = 7;',
        ("sys/mman.h", "fcntl.h", "unistd.h"),
    ),
    _beside(
        "child",
        "pid_t child = fork(); if (child == 0) _exit(0); waitpid(child, NULL, 0); n = 7;",
        ("sys/wait.h", "unistd.h"),
    ),
    _beside("socket", "int s = socket(1, 1, 0); n = shutdown(s, 2);", ("sys/socket.h",)),
    _beside(
        "pipe",
        "static int p[2]; if (!p[1]) n = pipe(p); n = write(p[1], &p, 1); n = 7;",
        ("unistd.h",),
    ),
    _beside("control_of_process", "n = prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);", ("sys/prctl.h",)),
    _beside("system_call", "n = syscall(39); n = 7;", ("unistd.h",)),
)
PAIRS = HEAP + THREADS + ATTRIBUTES + PLACES + BESIDE


def write_programs(root: Path, pairs: tuple[Pair, ...]) -> None:
    """Write both programs of each pair, each in a folder of its own."""
    for pair in pairs:
        for kind, job in (("dirty", pair.dirty), ("clean", pair.clean)):
            name = f"{kind}_{pair.name}"
            (root / name).mkdir()
            (root / name / f"{name}.c").write_text(pair.source(name, job), encoding="utf-8")
