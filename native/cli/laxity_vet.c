/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-vet: run some jobs of a guest in one isolation mode and tell what each did and left. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory_account.h"
#include "base/port/allocator.h"
#include "base/port/memory.h"
#include "base/port/time.h"
#include "cli/option.h"
#include "cli/options.h"
#include "guests/attributes.h"
#include "guests/guest.h"
#include "guests/guest_call.h"
#include "guests/guest_clock.h"
#include "guests/guest_files.h"
#include "guests/guest_heap.h"
#include "guests/guest_paths.h"
#include "guests/guest_streams.h"
#include "guests/isolation.h"
#include "guests/leftovers.h"
#include "guests/work.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct vet_options {
    int convention;
    const char *name;
    int isolation;
    uint64_t jobs;
    const char *input;
    const char *filter;
    const char *kept_output;
    uint64_t fill;
    bool leaves_job_out;
    bool has_fixed_clock;
    uint64_t elsewhere;
    bool has_directory;
};

enum {
    JOBS_MAX = 100000,
    FILL_MAX = 255,
    FILLED_STACK_BYTES = 256 * 1024,
    RESULT_FD = 900, /* where no guest expects one; below the usual limit of 1024 */
    HASH_TEXT_BYTES = 17,
    NO_JOB_VALUE = 0x5aa51234, /* hardly any job returns it */
    ELSEWHERE_MAX = 2,
    /* 16 times an odd number that 3, 5 and 7 do not divide. */
    MOVED_BYTES = 16 * 77167,
    IN_FRONT_BYTES = 1 << 20,
    SMALL_BYTES = 1024, /* up to here the C library keeps a list for each size */
    BLOCK_STEP_BYTES = 16,
};

#define AT(member) .offset = offsetof(struct vet_options, member)

static const struct laxity_option options[] = {
    {.name = "--convention",
     .choices = LAXITY_CONVENTIONS,
     .default_text = "main",
     .kind = LAXITY_OPTION_CHOICE,
     AT(convention),
     .help = "which functions prepare, are the job, and check it"},
    {.name = "--name",
     .metavar = "NAME",
     .kind = LAXITY_OPTION_TEXT,
     AT(name),
     .help = "argv[0], and what the functions of init-main-return begin with"},
    {.name = "--isolation",
     .choices = LAXITY_ISOLATIONS,
     .default_text = "none",
     .kind = LAXITY_OPTION_CHOICE,
     AT(isolation),
     .help = "what is done between jobs"},
    {.name = "--jobs",
     .metavar = "N",
     .default_text = "1",
     .kind = LAXITY_OPTION_COUNT,
     AT(jobs),
     .low = 1,
     .high = JOBS_MAX,
     .help = "how many"},
    {.name = "--input",
     .metavar = "FILE",
     .kind = LAXITY_OPTION_TEXT,
     AT(input),
     .help = "standard input of every job, from its beginning; empty without"},
    {.name = "--filter",
     .metavar = "REGEX",
     .kind = LAXITY_OPTION_TEXT,
     AT(filter),
     .help = "what is cut from each line of output before it is compared"},
    {.name = "--keep-output",
     .metavar = "FILE",
     .kind = LAXITY_OPTION_TEXT,
     AT(kept_output),
     .help = "write the output of each job there, too, as it is compared: the first 256 KiB of "
             "each, one behind the other"},
    {.name = "--fill",
     .metavar = "BYTE",
     .default_text = "as it was",
     .kind = LAXITY_OPTION_COUNT,
     AT(fill),
     .high = FILL_MAX,
     .help = "what memory holds that the job has not written yet: stack and heap"},
    {.name = "--leave-job-out",
     .kind = LAXITY_OPTION_FLAG,
     AT(leaves_job_out),
     .help = "prepare and check, but do not run the job in between; a check that is given the "
             "job's value gets a large and a small one in turn"},
    {.name = "--fixed-clock",
     .kind = LAXITY_OPTION_FLAG,
     AT(has_fixed_clock),
     .help = "the guest's clocks advance by 1 us per reading"},
    {.name = "--elsewhere",
     .metavar = "N",
     .default_text = "as it is here",
     .kind = LAXITY_OPTION_COUNT,
     AT(elsewhere),
     .high = ELSEWHERE_MAX,
     .help =
         "1: as policy batch, one nicer, not on the first CPU; 2: also another heap address and "
         "another fixed clock"},
    {.name = "--own-directory",
     .kind = LAXITY_OPTION_FLAG,
     AT(has_directory),
     .help = "the working directory is the guest's alone: its files are told after each job, and "
             "restore and fork remove what was not there before"},
};
static const struct laxity_option_table table = {
    "Options", options, sizeof options / sizeof options[0]
};
static const struct laxity_option_table *const tables[] = {&table};
static const struct laxity_tool tool = {
    .name = "laxity-vet",
    .usage = "laxity-vet --name NAME [OPTIONS] -- OBJECT [WORD]...",
    .summary = "Run jobs of a third-party program and tell what each did and left.",
    .tables = tables,
    .n_tables = 1,
};

/* Returns how many words were read, or -1 with error. */
static int read_options(int argc, char **argv, struct vet_options *read, struct laxity_error *error)
{
    *read = (struct vet_options){.name = "", .jobs = 1};
    int used = laxity_options_parse(&table, argc - 1, argv + 1, read, error);
    if (used < 0) {
        return -1;
    }
    used++;
    used += used < argc && strcmp(argv[used], "--") == 0;
    if (used >= argc) {
        return laxity_refuse(error, LAXITY_EXIT_USAGE, "no object; name a shared object after --");
    }
    if (read->name[0] == '\0' || strlen(read->name) > NAME_MAX) {
        return laxity_refuse(
            error, LAXITY_EXIT_USAGE, "--name: no name; say what the guest is called"
        );
    }
    return used;
}

static void write_end(
    struct laxity_json *json, const char *name, const struct laxity_guest_end *end, bool has_come
)
{
    if (!has_come) {
        laxity_json_null(json, name);
        return;
    }
    laxity_json_open(json, name, '{');
    laxity_json_text(json, "how", laxity_guest_end_name(end->kind));
    laxity_json_int(json, "code", end->code);
    laxity_json_close(json, '}');
}

/* As text: a number of 64 bits is none for many readers of JSON. */
static void write_hash(struct laxity_json *json, const char *name, uint64_t hash)
{
    char text[HASH_TEXT_BYTES];
    laxity_format(text, sizeof text, "%016" PRIx64, hash);
    laxity_json_text(json, name, text);
}

struct told_job {
    uint64_t job;
    bool has_run;
    int64_t duration_ns;
    int64_t isolating_ns;
    int64_t heap_bytes; /* held after it; -1 = not counted */
    uint64_t blocks;    /* of the job; 0 = not counted */
};

static void write_line(int fd, struct laxity_json *json)
{
    if (!json->is_out_of_memory) {
        for (size_t i = 0; i < json->used; i++) {
            json->text[i] = (char)(json->text[i] == '\n' ? ' ' : json->text[i]);
        }
        (void)dprintf(fd, "%.*s\n", (int)json->used, json->text);
    }
    laxity_json_free(json);
}

static void tell_files(struct laxity_json *json, const struct laxity_files_look *look)
{
    write_hash(json, "files_hash", look->hash);
    laxity_json_open(json, "files", '[');
    for (unsigned i = 0; i < look->n_told; i++) {
        laxity_json_open(json, NULL, '{');
        laxity_json_text(json, "path", look->told[i].path);
        laxity_json_count(json, "bytes", look->told[i].bytes);
        write_hash(json, "hash", look->told[i].hash);
        laxity_json_close(json, '}');
    }
    laxity_json_close(json, ']');
}

static void tell_job(int fd, const struct told_job *told, const struct laxity_job_outcome *outcome)
{
    struct laxity_json json = {.text = NULL};
    laxity_json_open(&json, NULL, '{');
    laxity_json_count(&json, "job", told->job);
    write_end(&json, "init", &outcome->init, true);
    write_end(&json, "end", &outcome->end, told->has_run);
    write_end(&json, "check", &outcome->check, outcome->has_check);
    laxity_json_count(&json, "output_bytes", outcome->output.bytes);
    write_hash(&json, "output", outcome->output.hash);
    tell_files(&json, &outcome->files);
    laxity_json_text(&json, "complaint", outcome->output.complaint);
    laxity_json_count(&json, "input_bytes", outcome->output.input_bytes);
    write_hash(&json, "state", outcome->state.data_hash);
    laxity_json_text(&json, "outside", laxity_guest_paths_outside());
    write_hash(&json, "heap", outcome->state.heap_hash);
    laxity_json_count(&json, "compared_blocks", outcome->state.n_blocks);
    laxity_json_count(&json, "compared_bytes", outcome->state.block_bytes);
    if (told->heap_bytes < 0) {
        laxity_json_null(&json, "heap_bytes");
    } else {
        laxity_json_int(&json, "heap_bytes", told->heap_bytes);
    }
    if (told->blocks == 0) {
        laxity_json_null(&json, "blocks");
    } else {
        laxity_json_count(&json, "blocks", told->blocks);
    }
    laxity_json_count(&json, "regions", outcome->regions.count);
    laxity_json_int(&json, "regions_ns", outcome->regions.total_ns);
    laxity_json_count(&json, "descriptors", outcome->leftovers.n_descriptors);
    laxity_json_count(&json, "threads", outcome->leftovers.n_threads);
    laxity_json_open(&json, "handlers", '[');
    for (int number = 1; number < LAXITY_SIGNALS_MAX; number++) {
        if ((outcome->leftovers.handlers >> (number - 1) & 1) != 0) {
            laxity_json_int(&json, NULL, number);
        }
    }
    laxity_json_close(&json, ']');
    laxity_json_open(&json, "attributes", '[');
    for (int attribute = 0; attribute < LAXITY_ATTRIBUTES; attribute++) {
        if ((outcome->leftovers.attributes >> attribute & 1) != 0) {
            laxity_json_text(&json, NULL, laxity_attribute_name((enum laxity_attribute)attribute));
        }
    }
    laxity_json_close(&json, ']');
    laxity_json_int(&json, "duration_ns", told->duration_ns);
    laxity_json_int(&json, "isolating_ns", told->isolating_ns);
    laxity_json_close(&json, '}');
    write_line(fd, &json);
}

/* Frames of the job will lie where this one lies now. */
__attribute__((noinline)) static void fill_stack(int byte)
{
    volatile unsigned char frame[FILLED_STACK_BYTES];
    for (size_t i = 0; i < sizeof frame; i++) {
        frame[i] = (unsigned char)byte;
    }
}

static void fill(const struct vet_options *given)
{
    if (given->fill > 0) {
        laxity_guest_heap_fill((int)given->fill);
        /* The C library fills with the complement what it hands out. */
        (void)mallopt(M_PERTURB, FILL_MAX - (int)given->fill); /* NOLINT(concurrency-mt-unsafe) */
        fill_stack((int)given->fill);
    }
}

static int64_t heap_now(const struct laxity_memory_account *account)
{
    return account && account->is_counted ? (int64_t)atomic_load(&account->in_use_bytes) : -1;
}

static void run_one(
    const struct vet_options *given,
    struct laxity_isolated *isolated,
    const struct laxity_memory_account *account,
    struct told_job told,
    int result_fd
)
{
    struct laxity_job_outcome outcome;
    const int64_t begin_ns = laxity_now_ns();
    laxity_guest_clock_begin();
    fill(given);
    laxity_isolated_begin(isolated, &outcome);
    fill(given);
    told.has_run = !given->leaves_job_out && outcome.init.kind == LAXITY_GUEST_RETURNED;
    const int64_t start_ns = laxity_now_ns();
    if (given->leaves_job_out) {
        /* A check that is content with what no job has returned may only compare it: large, small.
         */
        isolated->guest.job_value = told.job % 2 == 0 ? NO_JOB_VALUE : -NO_JOB_VALUE;
    }
    if (told.has_run) {
        laxity_work_begin();
        laxity_blocks_begin();
        laxity_isolated_job(isolated, &outcome);
        told.blocks = laxity_blocks_counted();
        laxity_work_end();
    }
    const int64_t finish_ns = laxity_now_ns();
    laxity_isolated_end(isolated, &outcome);
    told.duration_ns = finish_ns - start_ns;
    told.isolating_ns = laxity_now_ns() - begin_ns - told.duration_ns;
    told.heap_bytes = heap_now(account);
    tell_job(result_fd, &told, &outcome);
}

/* A child that could not tell its end: another thread, or what cannot be caught, has ended it. */
static void tell_lost(int fd, uint64_t job, int status)
{
    struct laxity_json json = {.text = NULL};
    laxity_json_open(&json, NULL, '{');
    laxity_json_count(&json, "lost_job", job);
    laxity_json_int(&json, "signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    laxity_json_int(&json, "exit_code", WIFEXITED(status) ? WEXITSTATUS(status) : 0);
    laxity_json_close(&json, '}');
    write_line(fd, &json);
}

static int fork_one(
    const struct vet_options *given, struct laxity_isolated *isolated, uint64_t job, int result_fd
)
{
    int status = 0;
    const pid_t child = fork();
    if (child < 0) {
        return -errno;
    }
    if (child == 0) {
        run_one(given, isolated, NULL, (struct told_job){.job = job}, result_fd);
        _exit(LAXITY_EXIT_DONE);
    }
    if (waitpid(child, &status, 0) == child && status != 0) {
        tell_lost(result_fd, job, status);
    }
    return 0;
}

static void run_jobs(
    const struct vet_options *given,
    struct laxity_isolated *isolated,
    int result_fd,
    struct laxity_error *error
)
{
    static struct laxity_memory_account account = {.limit_bytes = LAXITY_MEMORY_UNLIMITED};
    if (isolated->mode != LAXITY_ISOLATION_FORK) {
        (void)laxity_allocator_count(&account, NULL);
    }
    for (uint64_t job = 0; job < given->jobs; job++) {
        if (isolated->mode != LAXITY_ISOLATION_FORK) {
            run_one(given, isolated, &account, (struct told_job){.job = job}, result_fd);
            continue;
        }
        const int rc = fork_one(given, isolated, job, result_fd);
        if (rc) {
            laxity_error_set(error, LAXITY_EXIT_LACKING, "fork: %s", strerrordesc_np(-rc));
            return;
        }
    }
}

/*
 * What a job sets to what it usually is shows only where it was something else before. Without the
 * right to it things stay as they are.
 */
static void go_elsewhere(void)
{
    const struct sched_param parameters = {.sched_priority = 0};
    cpu_set_t cpus;
    (void)sched_setscheduler(0, SCHED_BATCH, &parameters);
    (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1);
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 1) {
        size_t first = 0;
        while (!CPU_ISSET(first, &cpus)) {
            first++;
        }
        CPU_CLR(first, &cpus);
        (void)sched_setaffinity(0, sizeof cpus, &cpus);
    }
    /* A page that is locked: who unlocks all memory is seen. */
    static unsigned char locked;
    (void)mlock(&locked, sizeof locked);
}

/*
 * All blocks that come later lie behind one that is never freed, larger in the other place. What
 * was freed before would be given out again where it lay, the same in both: it is used up, the
 * largest first, since large ones are cut for small ones. Both places do so, and differ by one size
 * alone.
 *
 * Returns: false if there is no memory.
 */
static bool place_heap(bool is_moved)
{
    static void *volatile in_front;
    in_front = malloc(IN_FRONT_BYTES + (is_moved ? MOVED_BYTES : 0));
    size_t bytes = in_front ? IN_FRONT_BYTES : 0;
    while (bytes > 0) {
        static void *volatile used_up;
        do {
            used_up = malloc(bytes);
        } while (used_up && (uintptr_t)used_up < (uintptr_t)in_front);
        if (!used_up) {
            return false;
        }
        bytes -= bytes > SMALL_BYTES ? bytes / 2 : BLOCK_STEP_BYTES;
    }
    return in_front != NULL;
}

/* Returns 0, or -1 with error set. */
static int prepare_process(const struct vet_options *given, struct laxity_error *error)
{
    if (given->has_fixed_clock) {
        laxity_guest_clock_fix(given->elsewhere == ELSEWHERE_MAX);
    }
    if (given->elsewhere > 0) {
        go_elsewhere();
    }
    laxity_keep_heap();
    if (!place_heap(given->elsewhere == ELSEWHERE_MAX)) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "no memory: %s", strerrordesc_np(ENOMEM));
    }
    if (given->fill > 0 && given->has_directory) {
        laxity_guest_paths_watch();
    }
    const int watch_rc = laxity_guest_heap_watch(); /* what its constructors allocate is its own */
    if (watch_rc) {
        return laxity_refuse(
            error, LAXITY_EXIT_LACKING, "no memory: %s", strerrordesc_np(-watch_rc)
        );
    }
    return 0;
}

static void vet(int argc, char **argv, struct laxity_error *error)
{
    struct vet_options given;
    struct laxity_isolated isolated = {.jobs = 0};
    const int used = read_options(argc, argv, &given, error);
    if (used < 0) {
        return;
    }
    isolated.mode = (enum laxity_isolation)given.isolation;
    isolated.is_vetting = true;
    isolated.has_directory = given.has_directory;
    const char *object = argv[used];
    static char name[NAME_MAX + 1]; /* argv outlives this call */
    laxity_format(name, sizeof name, "%s", given.name);
    argv[used] = name;
    isolated.guest.argc = argc - used;
    isolated.guest.argv = argv + used;
    const int result_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, RESULT_FD);
    const enum laxity_convention convention = (enum laxity_convention)given.convention;
    if (prepare_process(&given, error)) {
        return;
    }
    if (laxity_guest_load(&isolated.guest, object, convention, given.name, error)) {
        return;
    }
    if (laxity_guest_streams_filter(given.filter)) {
        laxity_error_set(
            error,
            LAXITY_EXIT_USAGE,
            "%.40s: output_filter \"%.80s\" is no extended regular expression; correct it",
            given.name,
            given.filter
        );
        return;
    }
    int rc = result_fd < 0 ? -errno : laxity_guest_streams_open(given.input);
    if (rc == 0 && given.kept_output) {
        rc = laxity_guest_streams_keep(given.kept_output);
    }
    if (rc) {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "no streams: %s", strerrordesc_np(-rc));
        return;
    }
    if (laxity_isolated_open(&isolated, error) == 0) {
        if (given.jobs > 1) {
            /* They are compared with one another, and to all of them the environment lies at one
             * place: there a number of 32 bits that looks like an address counts. */
            isolated.state.stack_end = UINTPTR_MAX;
        }
        run_jobs(&given, &isolated, result_fd, error);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && laxity_options_answer(&tool, argv[1])) {
        return LAXITY_EXIT_DONE;
    }
    struct laxity_error error = {0};
    const int message_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, RESULT_FD);
    vet(argc, argv, &error);
    if (error.exit_code != 0) {
        (void)dprintf(message_fd, "laxity-vet: %s\n", error.text);
    }
    /* The guest's own handlers of the process's end are none of its jobs. */
    _exit(error.exit_code);
}
