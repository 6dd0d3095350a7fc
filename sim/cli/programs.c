/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/programs.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/port/atomic64.h"
#include "base/port/time.h"
#include "base/visible.h"
#include "cli/calls.h"
#include "cli/gather.h"
#include "cli/places.h"
#include "cli/settings.h"
#include "cli/simulation.h"
#include "harness/plan.h"
#include "harness/release.h"
#include "harness/segment.h"
#include "interface/decoder.h"
#include "interface/emulator.h"
#include "interface/engine.h"
#include "interface/layout.h"
#include "interface/storage.h"
#include "interface/stored.h"
#include "schema/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define NS_PER_DAY 86400e9

enum {
    WORDS = 4096,
    NAMES_BYTES = LAXITY_ASKED_CALLS * (LAXITY_ASKED_BYTES + 2),
    UNDECODED_TOLD = 100, /* one of so many */
    NOTE_BYTES = NAMES_BYTES + LAXITY_NAME_BYTES + 128,
    JOBS_TEXT_BYTES = 24,
    CPUS_BYTES = 64,
    PAGE_BYTES = 4096, /* interface/engine.h */
    KIB = 1024,
    TICK_BITS = 63,        /* that a job may take some more */
    STACK_BYTES = 8 << 20, /* as the emulator is told */
};

struct laxity_sim_program
laxity_sim_program_of(const struct laxity_sim_run *simulation, uint32_t index)
{
    const struct laxity_run_plan *plan = simulation->plan;
    struct laxity_segment *segment = simulation->segment;
    if (index < plan->n_tasks) {
        const struct laxity_task_plan *task = &plan->tasks[index];
        return (struct laxity_sim_program){
            .path = task->path,
            .words = &task->words,
            .config = &laxity_segment_task(segment, index)->config.process,
        };
    }
    const struct laxity_corunner_plan *asked = &plan->corunners[index - plan->n_tasks];
    struct laxity_corunner *corunner = laxity_segment_corunner(segment, index - plan->n_tasks);
    return (struct laxity_sim_program){
        .path = asked->path,
        .words = &asked->words,
        .config = &corunner->config,
        .corunner = corunner,
    };
}

/* Words behind the emulator's: the program, how many jobs, its own. NULL: no memory. */
static char **command_of(
    const struct laxity_words *emulator, const struct laxity_sim_program *program, uint64_t jobs
)
{
    char **argv = (char **)calloc(emulator->n + program->words->n + 3, sizeof *argv);
    char *text = malloc(JOBS_TEXT_BYTES);
    if (!argv || !text) {
        free((void *)argv);
        free(text);
        return NULL;
    }
    /* Always as long: words lie on the stack of the program, and move it. */
    laxity_format(text, JOBS_TEXT_BYTES, "%020" PRIu64, jobs);
    memcpy((void *)argv, (const void *)emulator->items, emulator->n * sizeof *argv);
    unsigned n = emulator->n;
    argv[n++] = program->path;
    argv[n++] = text;
    memcpy((void *)&argv[n], (const void *)program->words->items, program->words->n * sizeof *argv);
    return argv;
}

static void free_command(const struct laxity_words *emulator, char **argv)
{
    if (argv) {
        free(argv[emulator->n + 1]);
        free((void *)argv);
    }
}

/* How many jobs a program is asked for: as many as can start. */
static uint64_t jobs_of(const struct laxity_sim_run *simulation, uint32_t index)
{
    if (index >= simulation->segment->n_tasks) {
        return UINT64_MAX; /* a co-runner */
    }
    const struct laxity_task *task = laxity_segment_task(simulation->segment, index);
    if (simulation->limit_ns == INT64_MAX) {
        return task->config.jobs > 0 ? task->config.jobs : UINT64_MAX;
    }
    const struct laxity_releases releases = laxity_task_releases(simulation->segment, task);
    const uint64_t released = laxity_released_before(&releases, simulation->limit_ns);
    return task->config.jobs > 0 && task->config.jobs < released ? task->config.jobs : released;
}

/* 0, or -1 with error set. */
static int
start_program(struct laxity_sim_run *simulation, uint32_t index, struct laxity_error *error)
{
    const struct laxity_words *emulator = &simulation->plan->launcher;
    const struct laxity_sim_program program = laxity_sim_program_of(simulation, index);
    char **argv = command_of(emulator, &program, jobs_of(simulation, index));
    int *output_fd = &simulation->launch.output_write_fds[index];
    const struct laxity_sim_patience patience = {
        .context = simulation,
        .must_stop = laxity_sim_must_stop,
        .looks_at_end = LAXITY_SIM_LOOKS_AT_END,
    };
    const int rc =
        argv ? laxity_sim_emulator_start(argv, *output_fd, patience, &simulation->emulators[index])
             : ENOMEM;
    free_command(emulator, argv);
    (void)close(*output_fd);
    *output_fd = -1;
    if (rc) {
        return laxity_refuse(
            error,
            LAXITY_EXIT_LACKING,
            "%.100s: cannot be started: %s",
            emulator->items[0],
            strerrordesc_np(rc)
        );
    }
    return 0;
}

/* 0, or -1 with error set. */
static int execute_program(
    void *context, uint32_t index, struct laxity_sim_source *out_source, struct laxity_error *error
)
{
    struct laxity_sim_run *simulation = context;
    if (start_program(simulation, index, error)) {
        return -1;
    }
    *out_source = laxity_sim_emulator_source(simulation->emulators[index]);
    return 0;
}

/* A stream that lies beside the program, in place of executing it; that of a co-runner, which comes
 * to no end, has its beginning. 0, or -1 with error set. */
static int
open_source(struct laxity_sim_run *simulation, uint32_t index, struct laxity_error *error)
{
    struct laxity_sim_source *source = &simulation->tasks[index].source;
    const struct laxity_sim_program program = laxity_sim_program_of(simulation, index);
    char stream[PATH_MAX];
    laxity_format(stream, sizeof stream, "%s.lxs", program.path);
    if (access(stream, F_OK) != 0) {
        return execute_program(simulation, index, source, error);
    }
    if (laxity_sim_stored_open(stream, source, error)) {
        return -1;
    }
    if (program.corunner) {
        const struct laxity_sim_beginning beginning = {
            .context = simulation,
            .index = index,
            .start = execute_program,
        };
        laxity_sim_stored_continue(source, beginning);
    }
    return 0;
}

static void close_source(struct laxity_sim_run *simulation, uint32_t index)
{
    laxity_sim_emulator_stop(simulation->emulators[index]);
    laxity_sim_stored_close(&simulation->tasks[index].source);
}

/* 0, or -1 with error set. Where nothing asks for registers or latencies there is no decoder. */
static int
open_decoder(struct laxity_sim_run *simulation, uint32_t index, struct laxity_error *error)
{
    const struct laxity_sim_instructions *instructions = &simulation->settings->instructions;
    if (strcmp(instructions->scheduling, "none") == 0 &&
        simulation->settings->platform.fill_buffers == 0) {
        return 0;
    }
    const struct laxity_sim_decoder_options options = {
        .architecture = instructions->architecture,
        .scheduling = instructions->scheduling,
        .program = laxity_sim_program_of(simulation, index).path,
        .cycle_ticks = instructions->cycle_ticks,
    };
    return laxity_sim_decoder_open(&options, &simulation->tasks[index].decoder, error);
}

/* Programs of one content are one: its number is that of the first of them. */
static uint32_t number_of(const struct laxity_sim_run *simulation, uint32_t index)
{
    const struct laxity_sim_layout *layouts = simulation->layouts;
    uint32_t first = 0;
    while (memcmp(layouts[first].digest, layouts[index].digest, sizeof layouts->digest) != 0) {
        first++;
    }
    return first;
}

static uint64_t cores_of(const struct laxity_process_config *config)
{
    uint64_t cores = 0;
    const unsigned end = laxity_cpus_end(&config->cpus);
    for (unsigned cpu = 0; cpu < end && cpu < LAXITY_SIM_CORES_MAX; cpu++) {
        cores |= (uint64_t)laxity_cpus_has(&config->cpus, cpu) << cpu;
    }
    return cores;
}

static struct laxity_sim_reservation reservation_of(const struct laxity_process_config *config)
{
    const bool is_asked = config->policy == LAXITY_POLICY_DEADLINE;
    return (struct laxity_sim_reservation){
        .runtime_ns = is_asked ? config->reservation.runtime_ns : 0,
        .deadline_ns = config->reservation.deadline_ns,
        .period_ns = config->reservation.period_ns,
    };
}

static struct laxity_sim_task describe_task(const struct laxity_sim_run *simulation, uint32_t index)
{
    const struct laxity_sim_program program = laxity_sim_program_of(simulation, index);
    if (index >= simulation->segment->n_tasks) {
        return (struct laxity_sim_task){.is_corunner = true, .cores = cores_of(program.config)};
    }
    const struct laxity_task *task = laxity_segment_task(simulation->segment, index);
    return (struct laxity_sim_task){
        .releases = laxity_task_releases(simulation->segment, task),
        .priority = program.config->priority,
        .reservation = reservation_of(program.config),
        .cores = cores_of(program.config),
        .jobs = task->config.jobs,
        .timeout_ns = task->config.job_timeout_ns,
    };
}

/* 0, or -1 with error set. What is placed is the task's own: there is one of it for each. */
static int
open_places(struct laxity_sim_run *simulation, uint32_t index, struct laxity_error *error)
{
    const struct laxity_sim_settings *settings = simulation->settings;
    struct laxity_sim_places *places = &simulation->places[index];
    const char *path = laxity_sim_program_of(simulation, index).path;
    if (laxity_sim_places_open(places, index, path, settings->placed, settings->n_placed, error)) {
        return -1;
    }
    struct laxity_sim_task *task = &simulation->tasks[index];
    if (laxity_sim_places_has(places, LAXITY_SIM_CODE) ||
        laxity_sim_places_has(places, LAXITY_SIM_CONSTANTS)) {
        task->n_shared = 0;
    }
    task->placer = laxity_sim_places_placer(places);
    return 0;
}

/* 0, or -1 with error set. */
static int make_task(struct laxity_sim_run *simulation, uint32_t index, struct laxity_error *error)
{
    struct laxity_segment *segment = simulation->segment;
    struct laxity_sim_calls *calls = &simulation->calls[index];
    struct laxity_asked *asked = index < segment->n_tasks
                                     ? &laxity_segment_task(segment, index)->asked
                                     : &simulation->corunners_asked[index - segment->n_tasks];
    struct laxity_sim_layout *layout = &simulation->layouts[index];
    const char *path = laxity_sim_program_of(simulation, index).path;
    if (laxity_sim_calls_open(calls, asked, path, error) ||
        laxity_sim_layout_read(path, layout, error) || open_source(simulation, index, error)) {
        return -1;
    }
    struct laxity_sim_task *task = &simulation->tasks[index];
    const struct laxity_sim_source source = task->source;
    *task = describe_task(simulation, index);
    task->source = source;
    task->judge = laxity_sim_calls_judge(calls);
    task->program = number_of(simulation, index);
    task->n_shared = layout->n_shared;
    task->shared = layout->shared;
    return open_places(simulation, index, error) ? -1 : open_decoder(simulation, index, error);
}

/* Ticks are counted with 64 bits, and nanoseconds with 63: 0, or -1 with error set. */
static int
check_end(const struct laxity_sim_run *simulation, uint32_t index, struct laxity_error *error)
{
    __extension__ typedef unsigned __int128 wide;
    const uint64_t jobs = jobs_of(simulation, index);
    if (index >= simulation->segment->n_tasks || jobs == 0 || jobs == UINT64_MAX) {
        return 0;
    }
    const struct laxity_task *task = laxity_segment_task(simulation->segment, index);
    const struct laxity_releases releases = laxity_task_releases(simulation->segment, task);
    const uint64_t *ticks_per_s = simulation->settings->platform.ticks_per_s;
    const wide ticks_end = (wide)1 << TICK_BITS;
    const wide by_ticks = ticks_end * LAXITY_NS_PER_S * ticks_per_s[1] / ticks_per_s[0];
    const wide end_ns = by_ticks < INT64_MAX ? by_ticks : INT64_MAX;
    const wide last_ns =
        (wide)(uint64_t)releases.first_ns + (wide)(jobs - 1) * (uint64_t)releases.period_ns;
    if (last_ns < end_ns) {
        return 0;
    }
    return laxity_refuse(
        error,
        LAXITY_EXIT_USAGE,
        "task \"%.60s\": its last job would be released later than %.0f days, which this "
        "platform's "
        "ticks do not count; ask for fewer jobs",
        laxity_sim_program_of(simulation, index).config->name,
        (double)end_ns / NS_PER_DAY
    );
}

int laxity_sim_programs_make(struct laxity_sim_run *simulation, struct laxity_error *error)
{
    const uint32_t n = simulation->n_programs;
    simulation->tasks = calloc(n, sizeof *simulation->tasks);
    simulation->emulators = (struct laxity_sim_emulator **)calloc(n, sizeof *simulation->emulators);
    simulation->calls = calloc(n, sizeof *simulation->calls);
    simulation->corunners_asked = calloc(n, sizeof *simulation->corunners_asked);
    simulation->layouts = calloc(n, sizeof *simulation->layouts);
    simulation->marks = calloc(n, sizeof *simulation->marks);
    simulation->places = calloc(n, sizeof *simulation->places);
    if (!simulation->places || !simulation->tasks || !simulation->emulators || !simulation->calls ||
        !simulation->corunners_asked || !simulation->layouts || !simulation->marks) {
        return laxity_refuse(error, LAXITY_EXIT_LACKING, "cannot begin the run: no memory");
    }
    int rc = 0;
    for (uint32_t i = 0; i < n && rc == 0; i++) {
        rc = check_end(simulation, i, error);
        rc = rc ? rc : make_task(simulation, i, error);
    }
    return rc;
}

static const char *kind_of(const struct laxity_sim_run *simulation, uint32_t index)
{
    return index < simulation->segment->n_tasks ? "task" : "co-runner";
}

/* A program with instructions that the processor's tables do not have is worth a look. */
static void note_undecodable(const struct laxity_sim_run *simulation)
{
    for (uint32_t i = 0; i < simulation->n_programs; i++) {
        const struct laxity_sim_decoder *decoder = &simulation->tasks[i].decoder;
        struct laxity_sim_decoder_stats stats = {.undecodable = 0};
        if (decoder->context) {
            laxity_sim_decoder_read_stats(decoder, &stats);
        }
        /* Of every program a few are barriers and the like, of its beginning. */
        if (stats.undecodable * UNDECODED_TOLD > stats.instructions) {
            char text[NOTE_BYTES];
            laxity_format(
                text,
                sizeof text,
                "%s \"%.60s\": %" PRIu64 " of %" PRIu64
                " instructions cannot be decoded and take instruction_cycles",
                kind_of(simulation, i),
                laxity_sim_program_of(simulation, i).config->name,
                stats.undecodable,
                stats.instructions
            );
            laxity_write_message("laxity-sim", text);
        }
    }
}

void laxity_sim_programs_free(struct laxity_sim_run *simulation)
{
    const bool is_made = simulation->tasks && simulation->emulators;
    for (uint32_t i = 0; is_made && i < simulation->n_programs; i++) {
        laxity_sim_decoder_close(&simulation->tasks[i].decoder);
        close_source(simulation, i);
    }
    free((void *)simulation->emulators);
    free(simulation->calls);
    free(simulation->corunners_asked);
    for (uint32_t i = 0; simulation->places && i < simulation->n_programs; i++) {
        laxity_sim_places_close(&simulation->places[i]);
    }
    free(simulation->places);
    free(simulation->layouts);
    free(simulation->marks);
    free(simulation->tasks);
}

static bool is_done(const struct laxity_sim_run *simulation, uint32_t index)
{
    const struct laxity_drain_task *drain = &laxity_segment_task(simulation->segment, index)->drain;
    return drain->end != LAXITY_END_EXIT && drain->end != LAXITY_END_TIMEOUT &&
           drain->next_ordinal == jobs_of(simulation, index);
}

/* A program that has done all that it was asked for tears down, and prints what it has found. One
 * that fails then has failed: its last job may have been wrong. */
static void let_end(struct laxity_sim_run *simulation, uint32_t index)
{
    static uint64_t unused[WORDS];
    const struct laxity_sim_source source = simulation->tasks[index].source;
    bool has_ended = false;
    while (is_done(simulation, index) && !has_ended && !laxity_sim_must_stop(simulation)) {
        has_ended = source.read(source.context, unused, WORDS) == 0;
    }
    const char *why = has_ended ? laxity_sim_emulator_failure(simulation->emulators[index]) : NULL;
    if (why && !laxity_sim_must_stop(simulation)) {
        struct laxity_task *task = laxity_segment_task(simulation->segment, index);
        task->drain.end = LAXITY_END_EXIT;
        laxity_error_set(
            &simulation->segment->run.error,
            LAXITY_EXIT_VIOLATED,
            "task \"%.60s\": behind its last job %.100s",
            task->config.process.name,
            why
        );
    }
}

/* What the program printed until it ended, when it was recorded, as if it had done so now; a thread
 * reads it. */
static void print_stored(struct laxity_sim_run *simulation, uint32_t index)
{
    const bool ended_itself =
        laxity_segment_task(simulation->segment, index)->drain.end == LAXITY_END_EXIT;
    int *fd = &simulation->launch.output_write_fds[index];
    size_t bytes = 0;
    const char *output = laxity_sim_stored_output(&simulation->tasks[index].source, &bytes);
    while (output && *fd >= 0 && bytes > 0 && (ended_itself || is_done(simulation, index))) {
        const ssize_t n = write(*fd, output, bytes);
        if (n < 0 && errno != EINTR) {
            break;
        }
        output += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
}

void laxity_sim_programs_end(struct laxity_sim_run *simulation)
{
    for (uint32_t i = 0; simulation->tasks && simulation->emulators && i < simulation->n_programs;
         i++) {
        if (i < simulation->segment->n_tasks && simulation->emulators[i] &&
            simulation->tasks[i].source.read) {
            let_end(simulation, i);
        }
        if (i < simulation->segment->n_tasks) {
            print_stored(simulation, i);
        }
        laxity_sim_emulator_stop(simulation->emulators[i]);
        simulation->emulators[i] = NULL;
    }
    laxity_sim_gather_end(&simulation->gather);
}

/* A task may do something else in another run, then: what it is told is not of the model. */
static void tell_asked(const struct laxity_sim_run *simulation)
{
    for (uint32_t i = 0; i < simulation->n_programs; i++) {
        const struct laxity_asked *asked = simulation->calls[i].asked;
        char names[NAMES_BYTES];
        char text[NOTE_BYTES];
        if (asked->n == 0) {
            continue;
        }
        laxity_sim_calls_tell(asked, names, sizeof names);
        laxity_format(
            text,
            sizeof text,
            "%s \"%s\": not deterministic: it asks for what may be something else in another run "
            "(%s)",
            kind_of(simulation, i),
            laxity_sim_program_of(simulation, i).config->name,
            names
        );
        laxity_write_message("laxity-sim", text);
    }
}

/* How much all programs have placed into one memory. */
static uint64_t placed_bytes(const struct laxity_sim_run *simulation, struct laxity_sim_place into)
{
    uint64_t pages = 0;
    for (uint32_t i = 0; i < simulation->n_programs; i++) {
        const struct laxity_sim_places *places = &simulation->places[i];
        for (unsigned storage = 0; storage < LAXITY_SIM_STORAGE_CLASSES; storage++) {
            const struct laxity_sim_place *place = &places->places[storage];
            const bool is_there = place->region == into.region && place->instance == into.instance;
            pages += is_there ? places->n_pages[storage] : 0;
        }
    }
    return pages * PAGE_BYTES;
}

/* The model places it all the same: figures of what cannot be must say so. */
static void tell_overfull(const struct laxity_sim_run *simulation)
{
    const struct laxity_sim_settings *settings = simulation->settings;
    for (size_t i = 0; i < settings->n_placed; i++) {
        const struct laxity_sim_placed *placed = &settings->placed[i];
        const uint32_t region = placed->place.region;
        const uint64_t size = region > 0 ? settings->platform.regions[region - 1].size_bytes : 0;
        const uint64_t bytes = placed_bytes(simulation, placed->place);
        if (size == 0 || bytes <= size) {
            continue;
        }
        char text[NOTE_BYTES];
        laxity_format(
            text,
            sizeof text,
            "%s \"%s\": %" PRIu64 " KiB of it and of others lie where the platform has %" PRIu64
            " KiB (place)",
            kind_of(simulation, placed->program),
            laxity_sim_program_of(simulation, placed->program).config->name,
            bytes / KIB,
            size / KIB
        );
        laxity_write_message("laxity-sim", text);
    }
}

void laxity_sim_programs_tell(const struct laxity_sim_run *simulation)
{
    tell_asked(simulation);
    tell_overfull(simulation);
    note_undecodable(simulation);
}

static void end_corunner(struct laxity_corunner *corunner, enum laxity_end why, int64_t end_ns)
{
    corunner->passes_at_end = laxity_atomic64_load(&corunner->passes);
    corunner->verdict.end_ns = end_ns;
    atomic_store_explicit(&corunner->verdict.end, why, memory_order_release);
}

void laxity_sim_corunner_died(
    struct laxity_sim_run *simulation, uint32_t index, int64_t end_ns, const char *why
)
{
    struct laxity_segment *segment = simulation->segment;
    struct laxity_corunner *corunner = laxity_segment_corunner(segment, index - segment->n_tasks);
    struct laxity_error *error = &segment->run.error;
    char cpus[CPUS_BYTES];
    laxity_cpus_format(&corunner->config.cpus, cpus, sizeof cpus);
    laxity_format(corunner->verdict.detail, sizeof corunner->verdict.detail, "%.150s", why);
    end_corunner(corunner, LAXITY_END_EXIT, end_ns);
    if (simulation->calls[index].has_left_early && corunner->passes_at_end == 0) {
        laxity_error_set(
            error,
            LAXITY_EXIT_VIOLATED,
            "co-runner \"%s\" on CPU %s: its init failed (%.90s)%s",
            corunner->config.name,
            cpus,
            why,
            corunner->config.advice.output
        );
        return;
    }
    laxity_error_set(
        error,
        LAXITY_EXIT_NO_VERDICT,
        "co-runner \"%s\" on CPU %s died: %.90s; jobs up to then were kept",
        corunner->config.name,
        cpus,
        why
    );
}

void laxity_sim_corunners_stop(struct laxity_segment *segment)
{
    for (uint32_t i = 0; i < segment->n_corunners; i++) {
        struct laxity_corunner *corunner = laxity_segment_corunner(segment, i);
        const uint32_t end = atomic_load_explicit(&corunner->verdict.end, memory_order_relaxed);
        if (end == LAXITY_END_NONE) {
            end_corunner(corunner, LAXITY_END_STOPPED, segment->run.end_ns);
        }
    }
}

void laxity_sim_settle(void)
{
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) == 0) {
        stack.rlim_cur = stack.rlim_max < STACK_BYTES ? stack.rlim_max : STACK_BYTES;
        (void)setrlimit(RLIMIT_STACK, &stack);
    }
    int fd = STDIN_FILENO;
    while (fd >= STDIN_FILENO && fd <= STDERR_FILENO) {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}
