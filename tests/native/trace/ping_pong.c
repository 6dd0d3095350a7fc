/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Two processes hand a byte to and fro on one CPU: two switches per round, as fast as pipes go.
 *
 *   ping_pong CPU ROUNDS BLOCKS PRIORITY
 *
 * For each of BLOCKS blocks of ROUNDS rounds one line "NS SWITCHES": how long it took, and how
 * often the two left the CPU by the kernel's own count. PRIORITY 0 is SCHED_OTHER, else SCHED_FIFO.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ARGUMENTS = 5,
    DECIMAL = 10,
    /* Whatever hangs, at real-time priority nobody else would end it. */
    LIMIT_S = 60,
};

static int64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t own_switches(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Answers each byte; to each block's end it answers with its own switches so far. */
static void answer(int in, int out)
{
    char byte = 0;
    while (read(in, &byte, 1) == 1) {
        if (byte != 0) {
            const int64_t switches = own_switches();
            if (write(out, &switches, sizeof switches) != sizeof switches) {
                break;
            }
        } else if (write(out, &byte, 1) != 1) {
            break;
        }
    }
    _exit(0);
}

static int64_t ask_switches(int in, int out)
{
    const char end = 1;
    int64_t theirs = 0;
    if (write(out, &end, 1) != 1 || read(in, &theirs, sizeof theirs) != sizeof theirs) {
        _exit(1);
    }
    return theirs + own_switches();
}

static void run_block(int in, int out, long rounds)
{
    const int64_t switches_before = ask_switches(in, out);
    const int64_t start_ns = now_ns();
    char byte = 0;
    for (long i = 0; i < rounds; i++) {
        if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1) {
            _exit(1);
        }
    }
    const int64_t took_ns = now_ns() - start_ns;
    (void)printf(
        "%lld %lld\n", (long long)took_ns, (long long)(ask_switches(in, out) - switches_before)
    );
}

int main(int argc, char **argv)
{
    if (argc != ARGUMENTS) {
        (void)fprintf(stderr, "usage: ping_pong CPU ROUNDS BLOCKS PRIORITY\n");
        return 2;
    }
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)strtol(argv[1], NULL, DECIMAL), &cpus);
    const struct sched_param param = {.sched_priority = (int)strtol(argv[4], NULL, DECIMAL)};
    int there[2];
    int back[2];
    if (sched_setaffinity(0, sizeof cpus, &cpus) ||
        (param.sched_priority > 0 && sched_setscheduler(0, SCHED_FIFO, &param)) || pipe(there) ||
        pipe(back)) {
        perror("ping_pong");
        return 1;
    }
    (void)alarm(LIMIT_S);
    const pid_t child = fork();
    if (child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)close(there[1]);
        (void)close(back[0]);
        answer(there[0], back[1]);
    }
    (void)printf("players %d %d\n", (int)getpid(), (int)child);
    (void)close(there[0]);
    (void)close(back[1]);
    for (long blocks = strtol(argv[3], NULL, DECIMAL); child > 0 && blocks > 0; blocks--) {
        run_block(back[0], there[1], strtol(argv[2], NULL, DECIMAL));
    }
    (void)close(there[1]);
    (void)waitpid(child, NULL, 0);
    return child > 0 ? 0 : 1;
}
