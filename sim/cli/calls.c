/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/calls.h"

#include "base/error.h"
#include "harness/segment.h"
#include "interface/engine.h"
#include "interface/forbidden.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h> /* IWYU pragma: keep */

struct call_number {
    const char *name;
    uint32_t number;
};

struct laxity_sim_call_table {
    const char *isa;
    /* Of ELF: */
    uint16_t machine;
    unsigned char class;
    unsigned char order;
    const struct call_number *calls;
    size_t n;
};

#include "sim/call_numbers.h"

/* Names of calls, a blank before and behind each. */

/* They make threads and processes, or another program. */
static const char never[] = " clone clone3 execve execveat fork vfork ";

/* They answer the same in every run, as far as a program with one thread can see. */
static const char always[] =
    " _llseek arch_prctl brk cacheflush close dup dup2 dup3 exit exit_group fdatasync fsync "
    "ftruncate ftruncate64 futex futex_time64 lseek madvise mmap mmap2 mprotect mremap munmap "
    "pwrite64 pwritev riscv_flush_icache rseq rt_sigaction rt_sigprocmask rt_sigreturn "
    "sched_yield set_tls set_robust_list sigaltstack sigreturn write writev ";

/*
 * Allowed to init and to the C library, as is getrandom once: glibc asks for a key that only tells
 * a pointer freed twice. It asks set_tid_address for a number that it keeps, sysinfo for how much
 * memory qsort may take, and readlink for where the program is. Files are the user's input: a run
 * is that of what is in them, and no stream is kept for later ones (laxity_sim_question). The
 * harness of suites' programs makes files in memory, and goes where there are none.
 */
static const char before_jobs[] =
    " access chdir faccessat faccessat2 fcntl fcntl64 fstat fstat64 fstatat64 getcwd getdents64 "
    "getrlimit memfd_create mlock mlock2 mlockall munlock munlockall ioctl lstat lstat64 "
    "newfstatat open openat pread64 preadv prlimit64 read readlink readlinkat readv "
    "set_tid_address stat stat64 statx sysinfo ugetrlimit uname ";

/*
 * glibc's questions before a program's first own question, in order, each once: the number of the
 * thread, the program's own link, the key of freed pointers, how much memory there is (settle.h).
 * The link and both numbers stay inside the library. The identity of a stream has the memory.
 */
static const char *const of_start[] = {
    " set_tid_address ",
    " readlink readlinkat ",
    " getrandom ",
    " sysinfo ",
};

static bool is_among(const char *name, const char *names)
{
    char word[LAXITY_ASKED_BYTES + 2];
    laxity_format(word, sizeof word, " %s ", name);
    return strstr(names, word) != NULL;
}

const struct laxity_sim_call_table *
laxity_sim_call_table_of(const char *program, struct laxity_error *error)
{
    /* Both classes have the machine at the same place. */
    Elf32_Ehdr header;
    FILE *file = fopen(program, "rbe");
    if (!file) {
        const char *why = strerrordesc_np(errno);
        (void)laxity_refuse(error, LAXITY_EXIT_LACKING, "%.120s: cannot be read: %s", program, why);
        return NULL;
    }
    const bool is_read =
        fread(&header, sizeof header, 1, file) == 1 && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    (void)fclose(file);
    if (!is_read) {
        (void)laxity_refuse(error, LAXITY_EXIT_USAGE, "%.150s: no program", program);
        return NULL;
    }
    const unsigned char order = header.e_ident[EI_DATA];
    const uint16_t machine =
        order == ELFDATA2MSB ? be16toh(header.e_machine) : le16toh(header.e_machine);
    for (size_t i = 0; i < sizeof call_tables / sizeof call_tables[0]; i++) {
        const struct laxity_sim_call_table *table = &call_tables[i];
        if (table->machine == machine && table->order == order &&
            table->class == header.e_ident[EI_CLASS]) {
            return table;
        }
    }
    (void)laxity_refuse(
        error,
        LAXITY_EXIT_USAGE,
        "%.100s: for a processor that is not simulated (number %u of ELF)",
        program,
        machine
    );
    return NULL;
}

int laxity_sim_calls_open(
    struct laxity_sim_calls *calls,
    struct laxity_asked *asked,
    const char *program,
    struct laxity_error *error
)
{
    *calls = (struct laxity_sim_calls){
        .table = laxity_sim_call_table_of(program, error),
        .asked = asked,
    };
    return calls->table ? 0 : -1;
}

const char *laxity_sim_call_isa(const struct laxity_sim_call_table *table)
{
    return table->isa;
}

const char *laxity_sim_call_name(const struct laxity_sim_call_table *table, uint64_t number)
{
    for (size_t i = 0; i < table->n; i++) {
        if (table->calls[i].number == number) {
            return table->calls[i].name;
        }
    }
    return NULL;
}

const char *laxity_sim_forbidden_call(const struct laxity_sim_call_table *table, uint64_t number)
{
    const char *name = laxity_sim_call_name(table, number);
    return name && is_among(name, never) ? name : NULL;
}

/* The identity of a stream has the limit of the stack, and no other. */
static bool is_of_stack(const char *name, const uint64_t *arguments)
{
    if (strcmp(name, "prlimit64") == 0) {
        return arguments[0] == 0 && arguments[1] == RLIMIT_STACK && arguments[2] == 0;
    }
    return arguments[0] == RLIMIT_STACK && is_among(name, " getrlimit ugetrlimit ");
}

const char *laxity_sim_question(
    const struct laxity_sim_call_table *table,
    unsigned *n_of_start,
    uint64_t number,
    const uint64_t *arguments
)
{
    const char *name = laxity_sim_call_name(table, number);
    if (!name) {
        return "a call without a name";
    }
    if (*n_of_start < sizeof of_start / sizeof of_start[0] &&
        is_among(name, of_start[*n_of_start])) {
        (*n_of_start)++;
        return NULL;
    }
    return is_among(name, always) || is_of_stack(name, arguments) ? NULL : name;
}

static void name_once(struct laxity_asked *asked, const char *name)
{
    for (unsigned i = 0; i < asked->n; i++) {
        if (strcmp(asked->calls[i], name) == 0) {
            return;
        }
    }
    if (asked->n < LAXITY_ASKED_CALLS) {
        laxity_format(asked->calls[asked->n++], LAXITY_ASKED_BYTES, "%s", name);
    }
}

bool laxity_sim_calls_note(struct laxity_sim_calls *calls, uint64_t number, bool is_in_job)
{
    char unknown[LAXITY_ASKED_BYTES];
    laxity_format(unknown, sizeof unknown, "call %" PRIu64, number);
    const char *known = laxity_sim_call_name(calls->table, number);
    const char *name = known ? known : unknown;
    /* The first one is the C library's, see above. */
    const bool is_first_random = strcmp(name, "getrandom") == 0 && calls->n_random++ == 0;
    if (is_among(name, never)) {
        laxity_format(calls->refused, sizeof calls->refused, "%s", name);
        return false;
    }
    calls->has_left_early |= !is_in_job && strcmp(name, "exit_group") == 0;
    const bool is_allowed = is_first_random || is_among(name, before_jobs);
    if (!is_among(name, always) && (is_in_job || !is_allowed)) {
        name_once(calls->asked, name);
    }
    return true;
}

static bool may_call(void *context, uint64_t number, bool is_in_job)
{
    return laxity_sim_calls_note(context, number, is_in_job);
}

static void on_clock(void *context, const char *clock)
{
    const struct laxity_sim_calls *calls = context;
    name_once(calls->asked, clock);
}

static const char *why_refused(void *context)
{
    struct laxity_sim_calls *calls = context;
    laxity_format(calls->why, sizeof calls->why, LAXITY_SIM_WHY_FORBIDDEN, calls->refused);
    return calls->why;
}

struct laxity_sim_judge laxity_sim_calls_judge(struct laxity_sim_calls *calls)
{
    return (struct laxity_sim_judge){
        .context = calls,
        .may_call = may_call,
        .on_clock = on_clock,
        .why = why_refused,
    };
}

void laxity_sim_calls_tell(const struct laxity_asked *asked, char *text, size_t bytes)
{
    size_t n = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < asked->n && n < bytes; i++) {
        laxity_format(&text[n], bytes - n, "%s%s", i > 0 ? ", " : "", asked->calls[i]);
        n += strlen(&text[n]);
    }
}
