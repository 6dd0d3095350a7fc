# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Functions that a program may call and need no isolation: the list is closed. Pure.

Vetting compares static data, the program's own heap blocks, output, the working directory,
descriptors with their offsets, threads and attributes of the process. A listed function keeps
nothing beyond that from one job to the next, in the C library, the kernel or files. State of any
other function is unknown.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

# Real and complex mathematics, also with the suffix f or l.
_MATHEMATICS = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2
expm1 fabs fdim finite floor fma fmax fmin fmod fpclassify frexp gamma hypot ilogb isinf isnan
issignaling j0 j1 jn ldexp lgamma lgamma_r llrint llround log log10 log1p log2 logb lrint lround
modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round roundeven scalb
scalbln scalbn signbit significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn
cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog clog10 conj cpow cproj
creal csin csinh csqrt ctan ctanh
"""
_KEEP_NOTHING = """
memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy memrchr memset explicit_bzero bcmp
bcopy bzero ffs ffsl ffsll index rawmemchr rindex stpcpy stpncpy strcasecmp strcasestr strcat strchr
strchrnul strcmp strcoll strcpy strcspn strlen strncasecmp strncat strncmp strncpy strnlen strpbrk
strrchr strsep strspn strstr strtok_r strverscmp strxfrm swab strerror strerror_r xpg_strerror_r
basename dirname wcscat wcschr wcscmp wcscpy wcslen wcsncmp wcsncpy wcsrchr wmemchr wmemcmp wmemcpy
wmemmove wmemset
ctype_b_loc ctype_tolower_loc ctype_toupper_loc ctype_get_mb_cur_max isalnum isalpha isascii isblank
iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit toascii tolower toupper
a64l abs atof atoi atol atoll div imaxabs imaxdiv labs ldiv llabs lldiv strtod strtof strtoimax
strtol strtold strtoll strtoul strtoull strtoumax strtol_internal strtod_internal getsubopt
bsearch qsort qsort_r lfind insque remque
rand_r erand48 nrand48 jrand48 initstate_r setstate_r random_r srandom_r drand48_r erand48_r
lrand48_r nrand48_r mrand48_r jrand48_r srand48_r
malloc calloc realloc reallocarray free posix_memalign aligned_alloc memalign strdup strndup
malloc_usable_size
printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf dprintf vdprintf puts putc
putchar putc_unlocked putchar_unlocked fputs fputc fputs_unlocked fputc_unlocked fwrite
fwrite_unlocked scanf fscanf sscanf vscanf vfscanf vsscanf getc getchar getc_unlocked
getchar_unlocked fgets fgetc fgets_unlocked fgetc_unlocked fread fread_unlocked gets ungetc perror
fopen fdopen fclose fflush fflush_unlocked fseek fseeko ftell ftello fgetpos fsetpos rewind feof
ferror clearerr feof_unlocked ferror_unlocked clearerr_unlocked fileno fileno_unlocked flockfile
funlockfile ftrylockfile overflow uflow stdin stdout stderr
open openat creat close read write readv writev pread pwrite preadv pwritev lseek fsync fdatasync
sync ftruncate dup dup2 dup3 rename remove unlink mkdir access isatty poll ppoll select pselect
opendir fdopendir readdir readdir_r closedir rewinddir dirfd getcwd
getuid geteuid getgid getegid getpagesize getdtablesize
errno_location assert_fail assert_perror_fail stack_chk_fail stack_chk_guard fdelt_warn
setjmp sigsetjmp longjmp siglongjmp exit Exit abort
time clock times gettimeofday clock_gettime clock_getres difftime gmtime_r localtime_r mktime timegm
asctime_r ctime_r strftime nanosleep clock_nanosleep usleep sleep pause sched_yield
sched_get_priority_max sched_get_priority_min sched_rr_get_interval
pthread_create pthread_join pthread_detach pthread_exit pthread_self pthread_equal pthread_once
pthread_cancel pthread_testcancel pthread_kill pthread_yield thrd_create thrd_join thrd_current
thrd_equal thrd_exit thrd_sleep thrd_yield call_once
pthread_attr_destroy pthread_attr_getdetachstate pthread_attr_getschedparam pthread_attr_getstack
pthread_attr_getstacksize pthread_attr_init pthread_attr_setaffinity_np pthread_attr_setdetachstate
pthread_attr_setguardsize pthread_attr_setinheritsched pthread_attr_setschedparam
pthread_attr_setschedpolicy pthread_attr_setscope pthread_attr_setstack pthread_attr_setstacksize
pthread_barrier_destroy pthread_barrier_init pthread_barrier_wait pthread_cond_broadcast
pthread_cond_destroy pthread_cond_init pthread_cond_signal pthread_cond_timedwait pthread_cond_wait
pthread_condattr_destroy pthread_condattr_init pthread_condattr_setclock pthread_mutex_consistent
pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock pthread_mutex_timedlock
pthread_mutex_trylock pthread_mutex_unlock pthread_mutexattr_destroy pthread_mutexattr_init
pthread_mutexattr_setprotocol pthread_mutexattr_setrobust pthread_mutexattr_settype
pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_tryrdlock
pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_rwlock_wrlock pthread_spin_destroy
pthread_spin_init pthread_spin_lock pthread_spin_trylock pthread_spin_unlock cnd_broadcast
cnd_destroy cnd_init cnd_signal cnd_timedwait cnd_wait mtx_destroy mtx_init mtx_lock mtx_timedlock
mtx_trylock mtx_unlock sem_destroy sem_getvalue sem_init sem_post sem_timedwait sem_trywait sem_wait
sigaddset sigandset sigdelset sigemptyset sigfillset sigisemptyset sigismember sigorset
"""
# What these keep is compared with the state after init, after each job.
_COMPARED = """
getenv secure_getenv setenv unsetenv putenv clearenv environ
signal sysv_signal bsd_signal sigaction siginterrupt sigprocmask pthread_sigmask sigblock sigsetmask
sigpending sigsuspend sigwait sigwaitinfo sigtimedwait raise sigaltstack
alarm getitimer setitimer ualarm
sched_getparam sched_setparam sched_getscheduler sched_setscheduler sched_getaffinity
sched_setaffinity sched_cpucount sched_cpualloc sched_cpufree pthread_getschedparam
pthread_setschedparam pthread_setschedprio pthread_getaffinity_np pthread_setaffinity_np
getpriority setpriority nice getrlimit setrlimit umask mlock mlock2 mlockall munlockall mprotect
feclearexcept fedisableexcept feenableexcept fegetenv fegetexcept fegetexceptflag fegetmode
fegetround feholdexcept feraiseexcept fesetenv fesetexcept fesetexceptflag fesetmode fesetround
fetestexcept fetestexceptflag feupdateenv
atexit
rand srand random srandom drand48 lrand48 mrand48 srand48
"""
_LISTED = frozenset((_KEEP_NOTHING + _COMPARED).split()) | {
    name + suffix for name in _MATHEMATICS.split() for suffix in ("", "f", "l")
}
# Of the compiler: tables of addresses, and arithmetic that the processor has no instruction for.
_TYPE = r"(?:[sdtxhbk]f|[qhsdt]i|[sdtxk]c)"
_COMPILER = re.compile(
    r"_GLOBAL_OFFSET_TABLE_|_DYNAMIC|_?_?tls_get_(?:addr|offset)|_SDA2?_BASE_"
    rf"|__(?:abs|add|and|ash[lr]|bswap|clrsb|clz|cmp|ctz|div|divmod|eq|extend|ffs|fix|fixuns|float"
    rf"|floatun|ge|gt|le|lshr|lt|mod|mul|ne|neg|parity|popcount|powi|sub|trunc|ucmp|udiv|udivmod"
    rf"|umod|unord)(?:v?{_TYPE}){{1,2}}\d?"
    r"|__aeabi_(?:[cdfilu][a-z0-9]+|mem(?:cpy|move|set|clr)[48]?|lasr|llsl|llsr)"
    r"|__gnu_(?:f2h|h2f|thumb1_case)_?\w*|__gcc_q(?:add|sub|mul|div|neg|eq|ne|gt|ge|lt|le)\w*"
    r"|_(?:save|rest)[fgv]pr(?:_\d+|_\d+_x)?\w*|__(?:save|rest)gpr\w*"
    r"|__riscv_(?:save|restore)_\d+|__aarch64_(?:cas|swp|ldadd|ldclr|ldeor|ldset)\d+_\w+"
)
# The same function for files of 64 bits, for times of 64 bits, of a standard, or with checks.
_VARIANT = re.compile(
    r"(?:__isoc(?:99|23)_|__xpg_|_IO_|__|_)?(.*?)(?:64)?(?:_chk|_2|_time64|_finite)?"
)

# What an unlisted function learns, which is no state of the process, or what mode restore takes
# back: descriptors, streams, the place in the program's options, memory that data point to.
_RESTORED = {
    "time": "timespec_get ftime getrusage clock_getcpuclockid pthread_getcpuclockid ctime",
    "process number": "getpid getppid gettid getpgrp getpgid getsid",
    "state of the machine": "sched_getcpu getcpu getloadavg sysinfo get_avphys_pages get_nprocs "
    "getauxval uname gethostname sysconf",
    "times and sizes of files": "stat fstat lstat fstatat statx xstat fxstat lxstat fxstatat",
    "random numbers of the system": "getrandom getentropy arc4random arc4random_buf "
    "arc4random_uniform",
    "memory that the C library allocates": "getline getdelim asprintf vasprintf open_memstream "
    "open_wmemstream fmemopen valloc pvalloc scandir",
    "place in its options": "getopt getopt_long getopt_long_only optarg optind opterr optopt",
    "temporary file": "tmpfile",
}
# State of the process, of other processes, or of the machine.
_KEPT = {
    "random numbers of the C library": "seed48 lcong48 initstate setstate",
    "locale": "setlocale newlocale uselocale duplocale freelocale localeconv",
    "place in the C library": "strtok hcreate hsearch mbtowc wctomb mblen mbrtowc",
    "table of users or hosts": "getpwent setpwent endpwent getpwnam getpwuid getgrent setgrent "
    "getgrnam getgrgid gethostent getservent",
    "buffers and mode of streams": "setvbuf setbuf setbuffer setlinebuf fwide freopen wprintf",
    "place in a directory": "seekdir telldir",
    "state of the allocator": "mallopt malloc_trim",
    "system log": "openlog syslog vsyslog closelog",
    "exit handlers": "on_exit __cxa_atexit at_quick_exit",
    "mapped memory": "mmap mremap munmap brk sbrk remap_file_pages pkey_alloc madvise",
    "shared memory": "shm_open shm_unlink shmget shmat shmctl memfd_create",
    "memory of C++": "_Znwm _Znam _Znwj _Znaj _ZnwmSt11align_val_t _ZnamSt11align_val_t",
    "variables of threads in the C library": "pthread_key_create pthread_setspecific tss_create "
    "tss_set",
    "queues and semaphores of the system": "sem_open mq_open msgget msgsnd semget semop mkfifo",
    "pipes and descriptors of events": "pipe pipe2 eventfd timerfd_create signalfd epoll_create "
    "epoll_create1 inotify_init inotify_init1 io_setup",
    "flags and locks of descriptors": "fcntl flock lockf",
    "sockets": "socket socketpair accept accept4 getaddrinfo gethostbyname",
    "other processes": "fork vfork _Fork clone system popen posix_spawn posix_spawnp execl execle "
    "execlp execv execve execvp execvpe fexecve daemon wordexp ptrace process_vm_writev kill wait "
    "waitpid",
    "devices and the kernel": "ioctl prctl syscall personality iopl ioperm mount umount umount2 "
    "swapon swapoff reboot sethostname setdomainname unshare setns acct sysctl init_module",
    "rights and groups": "setuid seteuid setreuid setresuid setgid setegid setregid setresgid "
    "setgroups setpgid setpgrp setsid capset chroot",
    "timers of the system": "timer_create timer_settime",
    "clock of the machine": "clock_settime settimeofday stime adjtime adjtimex clock_adjtime "
    "ntp_adjtime",
    "locked memory": "munlock",
    "working directory": "chdir fchdir",
    "times, names and rights of files": "link linkat symlink symlinkat truncate mknod mknodat "
    "chmod fchmod fchmodat chown lchown fchown fchownat utime utimes futimes futimens utimensat "
    "lutimes renameat renameat2 unlinkat mkdirat mkfifoat rmdir mkdtemp mkstemp mkostemp mkstemps "
    "setxattr",
    "code that it loads": "dlopen dlmopen dlsym",
}
_KINDS = {name: what for what, names in (_KEPT | _RESTORED).items() for name in names.split()}


# Of the compiler and the C library; data of any other library are not compared.
_WATCHED_LIBRARIES = frozenset({"-lm", "-lpthread", "-lc", "-lgcc", "-lrt", "-pthread"})


class Unwatched(NamedTuple):
    """State or knowledge of a program that vetting does not compare.

    `is_restored`: mode restore is as good for it as a new process, whatever it is.
    """

    words: str
    is_restored: bool = False


def _plain(name: str) -> str:
    match = _VARIANT.fullmatch(name)
    return match[1] if match else name


def unwatched(imports: Collection[str], libraries: Sequence[str] = ()) -> tuple[Unwatched, ...]:
    """Name the functions of a program that are not on the list, one of each known kind.

    Args:
        imports: Functions and variables that it uses and does not define.
        libraries: That it is linked with, as the linker is told.
    """
    kinds: dict[str, Unwatched] = {}
    for name in sorted(imports):
        plain = _plain(name)
        if name in _LISTED or plain in _LISTED or _COMPILER.fullmatch(name):
            continue
        kind = _KINDS.get(name) or _KINDS.get(plain, "")
        words = f"program calls {name} ({kind or 'its state is unknown'})"
        kinds.setdefault(kind or name, Unwatched(words, kind in _RESTORED))
    foreign = [word for word in libraries if word not in _WATCHED_LIBRARIES and word[:2] != "-L"]
    return (
        *kinds.values(),
        *(Unwatched(f"program is linked with {word} (its state is unknown)") for word in foreign),
    )
