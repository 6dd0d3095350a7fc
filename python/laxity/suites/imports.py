# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Functions by which a program keeps or learns something that vetting does not compare. Pure.

Vetting looks at static data, the program's own heap blocks, output, its working directory,
descriptors, threads and attributes of the process. A program that calls one of these has more.
"""

import re
from collections.abc import Collection, Sequence

# What is kept or learnt, and by which functions of the C library; * ends a beginning.
_UNWATCHED = {
    "memory that it maps": "mmap mremap brk sbrk remap_file_pages pkey_alloc",
    "memory that other processes share": "shm_open shm_unlink shmget shmat shmctl memfd_create",
    "memory that the C library allocates for it": "getline getdelim asprintf vasprintf "
    "open_memstream open_wmemstream fmemopen valloc pvalloc",
    "memory of C++": "_Znwm _Znam _Znwj _Znaj _ZnwmSt11align_val_t _ZnamSt11align_val_t",
    "variables of threads in the C library": "pthread_key_create pthread_setspecific tss_create "
    "tss_set",
    "queues and semaphores of the system": "sem_open mq_open msgget msgsnd semget semop mkfifo",
    "pipes and descriptors of events": "pipe pipe2 eventfd timerfd_create signalfd epoll_create "
    "epoll_create1 inotify_init inotify_init1 io_setup",
    "sockets": "socket socketpair accept accept4 getaddrinfo gethostbyname",
    "other processes": "fork vfork _Fork clone system popen posix_spawn posix_spawnp execl execle "
    "execlp execv execve execvp execvpe fexecve daemon wordexp ptrace process_vm_writev",
    "devices and the kernel": "ioctl prctl syscall personality iopl ioperm mount umount umount2 "
    "swapon swapoff reboot sethostname setdomainname unshare setns acct sysctl init_module",
    "its rights and groups": "setuid seteuid setreuid setresuid setgid setegid setregid setresgid "
    "setgroups setpgid setpgrp setsid capset chroot",
    "timers of the system": "timer_create timer_settime",
    "the clock of the machine": "clock_settime settimeofday stime adjtime adjtimex clock_adjtime "
    "ntp_adjtime",
    "which of its memory is locked": "munlock",
    "the time": "timespec_get ftime getrusage clock_getcpuclockid pthread_getcpuclockid",
    "its process number": "getpid getppid gettid getpgrp getpgid getsid",
    "the state of the machine": "sched_getcpu getcpu getloadavg sysinfo get_avphys_pages "
    "getauxval uname gethostname",
    "random numbers of the system": "getrandom getentropy arc4random arc4random_buf "
    "arc4random_uniform",
    "its working directory": "chdir fchdir",
    "files that are changed without being opened": "link linkat symlink symlinkat truncate mknod "
    "mknodat chmod fchmodat chown lchown fchownat utime utimes utimensat lutimes renameat "
    "renameat2 unlinkat mkdirat mkfifoat rmdir mkdtemp mkstemp mkostemp mkstemps setxattr",
    "code that it loads": "dlopen dlmopen",
}
_KEPT_BY = {name: what for what, names in _UNWATCHED.items() for name in names.split()}
# The same function for files of 64 bits, for times of 64 bits, or with checks (_FORTIFY_SOURCE).
_VARIANT = re.compile(r"^(?:__)?(.*?)(?:64)?(?:_chk|_2|_time64)?$")
# Of the compiler and the C library; whatever else is linked has data that nobody looks at.
_WATCHED_LIBRARIES = frozenset({"-lm", "-lpthread", "-lc", "-lgcc", "-lrt", "-pthread"})


def unwatched(imports: Collection[str], libraries: Sequence[str] = ()) -> tuple[str, ...]:
    """Say what a program has beside what is compared.

    Args:
        imports: Names of the functions that it calls and does not define.
        libraries: That it is linked with, as the linker is told.

    Returns:
        One sentence each, as "it calls getpid: its process number"; empty: nothing.
    """
    called: dict[str, str] = {}
    for name in sorted(imports):
        for plain in dict.fromkeys((name, _VARIANT.sub(r"\1", name))):
            if plain in _KEPT_BY:
                called.setdefault(_KEPT_BY[plain], name)
    found = [f"it calls {name}: {what}" for what, name in called.items()]
    foreign = [one for one in libraries if one.startswith("-l") and one not in _WATCHED_LIBRARIES]
    return (
        *found,
        *(f"it is linked with {one}, whose own data nobody looks at" for one in foreign),
    )
