# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Pairs whose dirty program keeps state that is not its own data: in the C library, in the kernel,
in files or in registers. Each job returns the same, most do the same work.
"""

from tests.suites.program_pairs import Pair

_LEFT = "process attributes left"
_BESIDE = "unwatched"
_FILE = 'int f = open("data", O_RDWR | O_CREAT, 0600);'
_HELD = "static int held; static char byte;"
_OPEN = f'{_FILE} if (write(f, "0123456789abcdef", 16) == 16) lseek(f, 0, SEEK_SET); held = f;'
_OPENED = ("fcntl.h", "unistd.h")
_VALUE = "static volatile long value;"
_WORK = (
    "static volatile unsigned x; static void work(unsigned n) { x = 0; while (n--) x += n; x = 0; }"
)
_SSE = "xmmintrin.h"
_FLUSH, _DENORMALS = "0x8000", "0x0040"  # FTZ and DAZ of MXCSR (Intel SDM 1, 10.2.3)


def _control(name: str, bits: str, *, is_quick: bool = False) -> Pair:
    return Pair(
        name,
        _LEFT,
        f"_mm_setcsr(_mm_getcsr() | {bits});",
        f"const unsigned was = _mm_getcsr(); _mm_setcsr(was | {bits}); _mm_setcsr(was);",
        includes=(_SSE,),
        is_quick=is_quick,
    )


def _drawn(name: str, draw: str, seed: str, *, is_quick: bool = False) -> Pair:
    return Pair(name, _LEFT, draw, f"{seed} {draw}", is_quick=is_quick)


# State that the C library keeps.
_LIBRARY = (
    _drawn("rand_without_seed", "(void)rand();", "srand(7);", is_quick=True),
    _drawn("random_without_seed", "(void)random();", "srandom(7);"),
    _drawn("drand48_without_seed", "(void)drand48();", "srand48(7);"),
    _drawn("lrand48_without_seed", "(void)lrand48();", "srand48(7);"),
    Pair(
        "user_table",
        _BESIDE,
        "value = getpwent() != NULL; value = 7;",
        "value = getuid(); value = 7;",
        _VALUE,
        includes=("pwd.h", "unistd.h"),
        is_quick=True,
    ),
    Pair(
        "locale",
        _BESIDE,
        'value = setlocale(LC_ALL, "C") != NULL;',
        "value = toupper('a') != 'a';",
        _VALUE,
        includes=("locale.h", "ctype.h"),
    ),
    Pair(
        "allocator_state",
        _BESIDE,
        "mallopt(M_MMAP_THRESHOLD, 4096);",
        "char *volatile b = malloc(4096); free(b);",
        includes=("malloc.h",),
    ),
    Pair(
        "token_place",
        _BESIDE,
        "text[0] = 'a'; value = strtok(text, \" \") != NULL;",
        "char *rest; text[0] = 'a'; value = strtok_r(text, \" \", &rest) != NULL;",
        f'{_VALUE} static char text[] = "a";',
    ),
    Pair(
        "option_place",
        _BESIDE,
        'char *words[] = {"p", "-a", NULL}; value = getopt(2, words, "a"); value = 7;',
        'char *words[] = {"p", "-a", NULL}; value = strcmp(words[1], "-a"); value = 7;',
        _VALUE,
        includes=("unistd.h",),
    ),
    Pair(
        "hash_table",
        _BESIDE,
        "value = hcreate(8); hdestroy(); value = 7;",
        "int key = 3, all[] = {1, 3}; value = bsearch(&key, all, 2, sizeof key, compare) != NULL;",
        f"{_VALUE} static int compare(const void *a, const void *b)"
        " { return *(const int *)a - *(const int *)b; }",
        includes=("search.h",),
    ),
    Pair(
        "shift_state",
        _BESIDE,
        'wchar_t c; value = mbtowc(&c, "a", 1);',
        "value = strnlen(\"a\", 1);",
        _VALUE,
        includes=("wchar.h",),
    ),
    Pair(
        "stream_buffer",
        _BESIDE,
        'setvbuf(stdout, NULL, _IONBF, 0); printf("7\\n");',
        'printf("7\\n");',
    ),
    Pair("stream_width", _BESIDE, "value = fwide(stdin, 1); value = 7;", "value = feof(stdin);",
         _VALUE, includes=("wchar.h",)),
    Pair(
        "thread_variable",
        _BESIDE,
        "if (!key) pthread_key_create(&key, NULL); pthread_setspecific(key, &key);",
        "static _Thread_local int own; own = 7; value = own;",
        f"{_VALUE} static pthread_key_t key;",
        includes=("pthread.h",),
    ),
    Pair("exit_handlers", _LEFT, "atexit(nothing);", "nothing();",
         "static void nothing(void) { }", is_quick=True),
    Pair("exit_handlers_of_glibc", _BESIDE, "on_exit(nothing, NULL);", "nothing(0, NULL);",
         "static void nothing(int code, void *unused) { (void)code; (void)unused; }"),
    Pair("log_of_the_system", _BESIDE, 'syslog(LOG_DEBUG, "7");',
         'char b[8]; value = snprintf(b, sizeof b, "7");', _VALUE, includes=("syslog.h",)),
    Pair(
        "temporary_file",
        _BESIDE,
        "FILE *f = tmpfile(); if (f) fclose(f);",
        'FILE *f = fopen("own", "w+"); if (f) fclose(f); remove("own");',
        is_quick=True,
    ),
    Pair(
        "function_by_name",
        _BESIDE,
        'value = dlsym(NULL, "rand") != NULL;',
        "value = abs(-7);",
        _VALUE,
        includes=("dlfcn.h",),
    ),
    Pair("weak_function", _BESIDE, "if (getppid) value = getppid(); value = 7;",
         "if (abs) value = abs(-7);",
         f"{_VALUE} int getppid(void) __attribute__((weak));"
         " int abs(int) __attribute__((weak));"),
)  # fmt: skip
# Places in what is held, and state of files.
_PLACES = (
    Pair("descriptor_offset", _LEFT, "value = read(held, &byte, 1);",
         "value = read(held, &byte, 1); lseek(held, 0, SEEK_SET); byte = 0;",
         _HELD + _VALUE, f"{_OPEN} byte = 0;", includes=_OPENED),
    Pair("offset_of_equal_bytes", _LEFT, "value = read(held, &byte, 1);",
         "value = pread(held, &byte, 1, 0);", _HELD + _VALUE,
         f'{_FILE} if (write(f, "aaaaaaaaaaaaaaaa", 16) == 16) lseek(f, 0, SEEK_SET); held = f;',
         includes=_OPENED, is_quick=True),
    Pair("stream_place", _LEFT, "value = fgetc(held) == 'a';",
         "value = fgetc(held) == 'a'; rewind(held);", f"static FILE *held; {_VALUE}",
         'held = fopen("data", "w+"); if (held) { fputs("aaaaaaaaaaaaaaaa", held); rewind(held); }',
         is_quick=True),
    Pair("directory_place", _LEFT, "value = readdir(held) != NULL; value = 7;",
         "value = readdir(held) != NULL; value = 7; rewinddir(held);",
         f"static DIR *held; {_VALUE}", 'held = opendir(".");', includes=("dirent.h",)),
    Pair("descriptor_of_first_job", _LEFT, 'if (held < 1) held = open("/dev/null", O_RDONLY);',
         'const int f = open("/dev/null", O_RDONLY); close(f); held = 7;', "static int held;",
         includes=_OPENED),
    Pair("other_standard_input", _LEFT,
         'const int f = open("/dev/zero", O_RDONLY); dup2(f, 0); close(f);',
         'const int f = open("/dev/zero", O_RDONLY); const int g = dup(f); close(g); close(f);',
         includes=_OPENED),
    Pair("descriptor_flags", _BESIDE, "value = fcntl(held, F_SETFL, O_APPEND);",
         "value = lseek(held, 0, SEEK_CUR);", _HELD + _VALUE, _OPEN, includes=_OPENED),
    Pair("file_lock", _BESIDE, "value = flock(held, LOCK_SH);", "value = fsync(held); value = 0;",
         _HELD + _VALUE, _OPEN, includes=(*_OPENED, "sys/file.h")),
    Pair("file_times_set", _BESIDE, 'value = utime("data", NULL); value = 7;',
         'value = access("data", R_OK); value = 7;', _HELD + _VALUE, _OPEN,
         includes=(*_OPENED, "utime.h")),
    Pair("file_times_read", _BESIDE, 'struct stat s; value = stat("data", &s) != 0;',
         "value = lseek(held, 0, SEEK_END) != 16; lseek(held, 0, SEEK_SET);", _HELD + _VALUE, _OPEN,
         includes=(*_OPENED, "sys/stat.h")),
    Pair("working_directory", _BESIDE, 'value = chdir(".");',
         "char here[4096]; value = getcwd(here, sizeof here) == NULL;", _VALUE,
         includes=("unistd.h",)),
)  # fmt: skip
# How the process runs.
_PROCESS = (
    Pair("alternate_stack", _LEFT,
         "const stack_t s = {.ss_sp = room, .ss_size = sizeof room}; sigaltstack(&s, NULL);",
         "stack_t was; const stack_t s = {.ss_sp = room, .ss_size = sizeof room};"
         " sigaltstack(&s, &was); sigaltstack(&was, NULL);",
         "static char room[65536];", includes=("signal.h",), is_quick=True),
    Pair("pending_signal", _LEFT, "raise(SIGUSR1);",
         "raise(SIGUSR1); int got; sigwait(&set, &got);", "static sigset_t set;",
         "sigemptyset(&set); sigaddset(&set, SIGUSR1); sigprocmask(SIG_BLOCK, &set, NULL);",
         includes=("signal.h",), is_quick=True),
    Pair("signal_blocked_by_init", _LEFT,
         "sigaddset(&set, SIGUSR2); sigprocmask(SIG_BLOCK, &set, NULL); sigdelset(&set, SIGUSR2);",
         "sigprocmask(SIG_BLOCK, &set, NULL);", "static sigset_t set;",
         "sigemptyset(&set); sigaddset(&set, SIGUSR1); sigprocmask(SIG_BLOCK, &set, NULL);",
         includes=("signal.h",), is_quick=True),
    Pair("handler_of_init", "signal handler left", "signal(SIGUSR1, SIG_IGN);",
         "signal(SIGUSR1, answer);", "static void answer(int number) { (void)number; }",
         "signal(SIGUSR1, answer);", includes=("signal.h",), is_quick=True),
    Pair("rights_of_memory", _LEFT, "mprotect(page, 4096, PROT_READ);",
         "mprotect(page, 4096, PROT_READ); mprotect(page, 4096, PROT_READ | PROT_WRITE);",
         "static char page[8192] __attribute__((aligned(4096)));", includes=("sys/mman.h",),
         is_quick=True),
    Pair("time_since_boot", "depends on time or randomness",
         "struct tms t; work(2000 + 3000 * (unsigned)(times(&t) % 7));",
         "struct tms t; work(2000 + 0 * (unsigned)times(&t));", _WORK, includes=("sys/times.h",),
         is_quick=True),
    Pair("processor_time_so_far", "depends on time or randomness",
         "work(2000 + 3000 * (unsigned)(clock() % 7));", "work(2000 + 0 * (unsigned)clock());",
         _WORK, includes=("time.h",)),
    Pair("state_of_the_machine", _BESIDE, "value = sysconf(_SC_AVPHYS_PAGES); value = 7;",
         "value = getpagesize();", _VALUE, includes=("unistd.h",)),
)  # fmt: skip
# Registers and instructions of x86-64.
_PROCESSOR = (
    _control("flush_to_zero", _FLUSH, is_quick=True),
    _control("denormals_are_zero", _DENORMALS),
    Pair("x87_control", _LEFT,
         'unsigned short c; __asm__ volatile("fnstcw %0" : "=m"(c)); c &= 0xfcff;'
         ' __asm__ volatile("fldcw %0" : : "m"(c));',
         'unsigned short c, was; __asm__ volatile("fnstcw %0" : "=m"(was)); c = was & 0xfcff;'
         ' __asm__ volatile("fldcw %0\\n\\tfldcw %1" : : "m"(c), "m"(was));',
         is_quick=True),
    Pair("x87_stack", _LEFT, '__asm__ volatile("fld1");',
         '__asm__ volatile("fld1\\n\\tfstp %st(0)");'),
    Pair("time_stamp", _BESIDE, "value = (long)__builtin_ia32_rdtsc(); value = 7;", "value = 7;",
         _VALUE, is_quick=True),
    Pair("processor_number", _BESIDE,
         "unsigned n; value = (long)__builtin_ia32_rdtscp(&n); value = 7;", "value = 7;", _VALUE),
    Pair("inline_system_call", _BESIDE,
         'long n = 39; __asm__ volatile("syscall" : "+a"(n) : : "rcx", "r11", "memory");'
         " value = n; value = 7;",
         'long n = 39; __asm__ volatile("" : "+a"(n) : : "rcx", "r11", "memory");'
         " value = n; value = 7;",
         _VALUE, is_quick=True),
    Pair("kind_of_processor", _BESIDE,
         'unsigned a = 1, b, c, d; __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));'
         " value = a; value = 7;",
         "value = 7;", _VALUE),
)  # fmt: skip
KEPT = (*_LIBRARY, *_PLACES, *_PROCESS, *_PROCESSOR)
