/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The engine of a simulated platform: executes tasks in virtual time (docs/simulation-model.md).
 *
 * Times of the model are counted in ticks. Those that are told are nanoseconds, rounded up, so that
 * what follows something never lies before it.
 */
#ifndef LAXITY_SIM_ENGINE_H
#define LAXITY_SIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/error.h"
#include "harness/release.h"

enum {
    LAXITY_SIM_CORES_MAX = 64,
    LAXITY_SIM_LEVELS_MAX = 4, /* below the first */
    LAXITY_SIM_DOMAINS_MAX = 16,
    LAXITY_SIM_REGIONS_MAX = 16,
    LAXITY_SIM_TASKS_MAX = 4096,
    LAXITY_SIM_REGISTERS = 128,
};

enum laxity_sim_replacement {
    LAXITY_SIM_LRU,
    LAXITY_SIM_PLRU,
    LAXITY_SIM_FIFO,
    LAXITY_SIM_RANDOM,
};

enum laxity_sim_inclusion {
    LAXITY_SIM_NEITHER,
    LAXITY_SIM_INCLUSIVE,
    LAXITY_SIM_EXCLUSIVE,
};

enum laxity_sim_prefetch {
    LAXITY_SIM_PREFETCH_NONE,
    LAXITY_SIM_PREFETCH_NEXT_LINE,
    LAXITY_SIM_PREFETCH_STRIDE,
};

/* Of pages in memory. */
enum laxity_sim_placement {
    LAXITY_SIM_IDENTITY,
    LAXITY_SIM_SEQUENTIAL,
    LAXITY_SIM_RANDOM_FRAMES,
    LAXITY_SIM_COLOURED,
};

/* What there is one of. */
enum laxity_sim_of {
    LAXITY_SIM_OF_PLATFORM,
    LAXITY_SIM_OF_DOMAIN,
    LAXITY_SIM_OF_CORE,
};

/* Where pages of the main memory lie that nobody has placed, if each domain has some of it. */
enum laxity_sim_home {
    LAXITY_SIM_FIRST_TOUCH,
    LAXITY_SIM_INTERLEAVED,
};

/* A cache; the lines of a platform are all of one size. The number of sets is a power of two, and
 * with PLRU that of ways. */
struct laxity_sim_cache {
    uint64_t size_bytes; /* 0: there is none */
    uint32_t ways;       /* 1 to 64 */
    enum laxity_sim_replacement replacement;
};

/* A level below the first. */
struct laxity_sim_level {
    struct laxity_sim_cache cache;
    uint32_t cores;                           /* neighbours that share one; 1 = private */
    uint32_t hit_ticks;                       /* >= 1: what a lookup takes */
    enum laxity_sim_inclusion inclusion;      /* of what the caches above it hold */
    enum laxity_sim_prefetch prefetch;        /* on a miss; of the last level only */
    uint64_t way_masks[LAXITY_SIM_CORES_MAX]; /* ways that a core may allocate into; 0 = all */
};

struct laxity_sim_memory {
    uint32_t channels;
    uint32_t read_queue;
    uint32_t write_queue;
    uint32_t reorder; /* requests that a channel chooses among */
    uint32_t banks;
    uint32_t row_lines;
    uint32_t request_ticks; /* >= 1 */
    uint32_t response_ticks;
    uint32_t hit_ticks; /* of a row that is open */
    uint32_t empty_ticks;
    uint32_t conflict_ticks;
    uint32_t line_ticks; /* >= 1: the transfer of a line */
    uint32_t word_ticks; /* >= 1: of less than a line, where lines are not cached */
    uint32_t turnaround_ticks;
    uint32_t refresh_ticks;
    uint64_t refresh_interval; /* 0 = never */
};

/* Memory besides the main memory, of one kind, in one place or in several. */
struct laxity_sim_region {
    struct laxity_sim_memory memory;
    enum laxity_sim_of of;
    uint32_t domain;     /* of one of the platform */
    uint64_t size_bytes; /* of each; 0: not known. No page is refused for want of it. */
    bool is_cached;
    bool is_alias;  /* it is another way to the memories of region `alias`, 0 or one before */
    uint32_t alias; /* what is said above but `is_cached` has no meaning then */
};

/* What of a platform file the model knows. All of it has been checked. */
struct laxity_sim_platform {
    uint64_t ticks_per_s[2]; /* numerator and denominator */
    uint32_t cores;
    uint32_t line_bytes;
    uint32_t instruction_ticks; /* >= 1: of one whose block says nothing else */
    uint32_t fill_buffers;      /* 0: a load is waited for at once */
    uint32_t store_entries;     /* 0: so is a store */
    bool merges_stores;         /* lines are at most 64 bytes then */
    uint32_t switch_ticks;      /* from one task to another, and the kernel's own lines */
    uint32_t kernel_code_lines;
    uint32_t kernel_data_lines;
    uint64_t timer_interval; /* 0: no timer interrupts a core */
    uint32_t timer_ticks;
    uint32_t timer_code_lines;
    uint32_t timer_data_lines;
    uint32_t probe_ticks; /* of an interrupt that reads the counters */
    uint32_t probe_code_lines;
    uint32_t probe_data_lines;
    uint32_t probe_log_entries; /* of whoever stores samples: nothing of the model's */
    uint32_t probe_log_hz;
    uint32_t predictor_entries; /* a power of two; 0: branches cost nothing */
    uint32_t mispredict_ticks;
    bool writes_through;          /* l1d */
    struct laxity_sim_cache itlb; /* of pages of 4096 bytes */
    struct laxity_sim_cache dtlb;
    uint32_t walk_loads; /* at most 4: levels of the page table */
    uint32_t walk_ticks;
    enum laxity_sim_placement placement;
    uint32_t placement_seed;
    uint32_t colours;        /* a power of two */
    uint32_t transfer_ticks; /* of a line from another core's cache */
    uint32_t upgrade_ticks;  /* >= 1: until a line that others have may be written */
    struct laxity_sim_cache l1i;
    struct laxity_sim_cache l1d;
    uint32_t n_levels;
    struct laxity_sim_level levels[LAXITY_SIM_LEVELS_MAX];
    struct laxity_sim_memory memory; /* the main memory, region 0 */
    uint32_t domain_cores; /* neighbours; the last domain may have less; 0: there is one domain */
    uint32_t link_ticks[LAXITY_SIM_DOMAINS_MAX][LAXITY_SIM_DOMAINS_MAX]; /* from one to another */
    uint32_t link_line_ticks; /* that a line is on a link */
    bool has_memory_each;     /* domain; otherwise the main memory lies in domain 0 */
    enum laxity_sim_home home;
    uint32_t n_regions; /* besides: region 1 is the first of them */
    struct laxity_sim_region regions[LAXITY_SIM_REGIONS_MAX];
};

/* What an instruction needs and takes. */
struct laxity_sim_instruction {
    uint8_t bytes;
    uint32_t ticks;
    uint64_t reads[LAXITY_SIM_REGISTERS / 64]; /* sets of registers */
    uint64_t writes[LAXITY_SIM_REGISTERS / 64];
    const char *clock; /* what it reads that is another in each run; NULL: nothing */
};

/*
 * Decodes a translated block: `instructions` have their bytes already, and ticks of
 * instruction_ticks; what is known of registers, ticks and clocks is added. May be NULL: nothing
 * is.
 */
struct laxity_sim_decoder {
    void *context;
    void (*decode)(
        void *context,
        uint64_t address,
        const uint8_t *code,
        struct laxity_sim_instruction *instructions,
        uint32_t n_instructions
    );
};

/* Where the words of a program come from (sim/interface/records.h). */
struct laxity_sim_source {
    void *context;
    /* Reads at most n words; 0: the program has ended, and `why` tells how. */
    size_t (*read)(void *context, uint64_t *words, size_t n);
    const char *(*why)(void *context);
};

/*
 * Judges a system call that a program makes; false: it must not go on, and `why` tells why. May be
 * NULL: any call is as good.
 */
struct laxity_sim_judge {
    void *context;
    bool (*may_call)(void *context, uint64_t number, bool is_in_job);
    /* May be NULL. A job reads a clock (struct laxity_sim_instruction); told once or more. */
    void (*on_clock)(void *context, const char *clock);
    const char *(*why)(void *context);
};

/* Earliest deadline first, with a budget (SCHED_DEADLINE). */
struct laxity_sim_reservation {
    int64_t runtime_ns; /* 0: there is none */
    int64_t deadline_ns;
    int64_t period_ns;
};

/* Addresses, multiples of 4096 below 2^47. */
struct laxity_sim_range {
    uint64_t begin;
    uint64_t end; /* the first behind it */
};

/* Where a page lies. */
struct laxity_sim_place {
    uint32_t region;
    uint32_t instance; /* of the region: of the platform 0, else a domain or a core */
};

/* In region 0: where it is at home. */
#define LAXITY_SIM_HOME UINT32_MAX

/*
 * Places the pages of a task, each when it is used for the first time, and not those that it
 * shares; may be NULL: all are at home.
 */
struct laxity_sim_placer {
    void *context;
    struct laxity_sim_place (*place)(void *context, uint64_t address);
    /* May be NULL. Each word of a call of the program, and of its answer (interface/records.h). */
    void (*on_word)(void *context, uint64_t word);
};

/* A task: its program, and when its jobs are released. */
struct laxity_sim_task {
    struct laxity_sim_source source;
    struct laxity_sim_decoder decoder;
    struct laxity_sim_judge judge;
    /* Tasks of one program have the same ranges, and share what lies there; none may store there.
     */
    uint32_t program; /* < LAXITY_SIM_TASKS_MAX */
    uint32_t n_shared;
    const struct laxity_sim_range *shared; /* ascending, apart from each other */
    struct laxity_sim_placer placer;
    struct laxity_releases releases;
    int32_t priority;                          /* a larger one preempts */
    struct laxity_sim_reservation reservation; /* in place of a priority, and above all of them */
    bool is_corunner; /* has no releases; only its passes are told, and its end if its program ends
                       */
    uint64_t cores;   /* that it may run on */
    uint64_t jobs;    /* ends after so many have started; 0 = without end */
    int64_t timeout_ns; /* ends with a job that is not finished so long after its start */
};

/* What has been counted. */
struct laxity_sim_counts {
    uint64_t instructions;
    uint64_t fetches; /* lookups of lines */
    uint64_t fetch_misses;
    uint64_t loads;
    uint64_t load_misses;
    uint64_t stores;
    uint64_t store_misses;
    uint64_t joins;       /* of the misses: the line was on its way, no request was made */
    uint64_t fetch_joins; /* of the joins: by fetches */
    uint64_t upgrades;
    uint64_t transfers;     /* from other cores' caches */
    uint64_t lost_fetches;  /* misses of the first level: another one has evicted the line there */
    uint64_t lost_data;     /* since the task used it */
    uint64_t moved_fetches; /* lines that were brought though the task had left them on a core */
    uint64_t moved_loads;
    uint64_t moved_stores;
    uint64_t merged;      /* lines written whole, and never read */
    uint64_t fetch_walks; /* pages that the TLB of instructions missed */
    uint64_t data_walks;
    uint64_t mispredictions;
    struct {
        uint64_t lookups;
        uint64_t misses;
        uint64_t prefetches;
    } levels[LAXITY_SIM_LEVELS_MAX];
    uint64_t reads; /* of cached lines, sent to memory */
    uint64_t writes;
    uint64_t uncached; /* accesses of regions that are not cached */
    uint64_t remote;   /* reads and writes of another domain's memory, of lines or less */
    uint64_t row_hits; /* of those that were decided */
};

/* What a job has taken so far. Its parts sum to its execution. */
struct laxity_sim_job {
    uint32_t task;
    uint64_t ordinal; /* how many of the task's jobs were started before */
    uint64_t job;
    uint32_t core_start;
    uint32_t core_finish;
    int64_t start_ns;
    int64_t finish_ns; /* 0 = it has only started */
    uint64_t exec_ticks;
    int64_t exec_ns; /* the same, rounded down */
    int64_t busy_ns;
    int64_t stall_own_ns;    /* for lines that the task had not used, or had evicted itself */
    int64_t stall_reload_ns; /* for lines that another task on its core had evicted */
    int64_t stall_moved_ns;  /* for lines left on another core */
    int64_t stall_shared_ns; /* for lines that other cores had evicted, and for their requests */
    uint32_t preemptions;
    uint32_t migrations;  /* it went on on another core than it had been on */
    uint64_t migrated_at; /* address of the instruction that it did so with, the last time */
    struct laxity_sim_counts counts; /* of its core, while it was on it */
};

/* Why the jobs of a task ended. */
enum laxity_sim_end {
    LAXITY_SIM_END_JOBS,
    LAXITY_SIM_END_LIMIT,
    LAXITY_SIM_END_STOPPED, /* the caller wanted no further job */
    LAXITY_SIM_END_INTERRUPT,
    LAXITY_SIM_END_FAILED,  /* error says why */
    LAXITY_SIM_END_TIMEOUT, /* likewise */
};

/* What a core does with a task. */
enum laxity_sim_turn {
    LAXITY_SIM_TURN_SWITCH,    /* begins to switch to it; it may never come to it */
    LAXITY_SIM_TURN_ON,        /* executes its job from now on */
    LAXITY_SIM_TURN_OFF,       /* no longer: the job has ended */
    LAXITY_SIM_TURN_PREEMPTED, /* no longer: the job could have gone on */
};

/* What a task has taken so far, in all its jobs. */
struct laxity_sim_taken {
    uint64_t exec_ticks;             /* of its instructions, and what it has waited */
    struct laxity_sim_counts counts; /* of its core, while it was on it */
};

/* What has been counted and taken until an instant. */
struct laxity_sim_sample {
    int64_t time_ns;
    const struct laxity_sim_counts *cores; /* since the first tick */
    const struct laxity_sim_taken *tasks;  /* co-runners, too */
};

/* Passage of a mark, or of a border of the job (harness/mark_table.h), as a task publishes it. */
struct laxity_sim_seen {
    uint32_t task;
    uint32_t mark;
    int64_t time_ns;
    uint64_t ordinal;     /* of the job */
    uint64_t exec_ticks;  /* of the job so far */
    uint64_t preemptions; /* likewise */
};

/* A regulator: it reads all counters now and then, and decides which cores may execute tasks. */
struct laxity_sim_observer {
    void *context;
    /*
     * At its tick, with what has been counted until then, and what it has not seen before of jobs
     * of no co-runner, in the order of time. Returns the cores that may execute tasks. *out_next_ns
     * is its next tick; INT64_MAX: there is none, and all cores may.
     */
    uint64_t (*on_tick)(
        void *context,
        const struct laxity_sim_sample *sample,
        const struct laxity_sim_seen *seen,
        size_t n_seen,
        int64_t *out_next_ns
    );
    uint32_t core;     /* that it interrupts (probe_ticks), if a task is there */
    int64_t first_ns;  /* its first tick */
    int64_t stop_ns;   /* from a tick to where a core is stopped that may no longer */
    int64_t resume_ns; /* from a tick to where a core may again */
    int64_t mark_ns;   /* what is not older is not seen yet */
};

/* What the engine tells, and asks, in the order of virtual time. */
struct laxity_sim_listener {
    void *context;
    /* A job has started, or finished. Not 0: no further job starts. */
    int (*on_start)(void *context, const struct laxity_sim_job *job);
    int (*on_finish)(void *context, const struct laxity_sim_job *job);
    /* A task runs no further job. Not 0: likewise. */
    int (*on_end)(
        void *context,
        uint32_t task,
        enum laxity_sim_end end,
        int64_t end_ns,
        const struct laxity_error *error
    );
    /* May be NULL. A job of a co-runner has finished. */
    void (*on_pass)(void *context, uint32_t task, int64_t finish_ns);
    /* May be NULL. Behind on_start, before on_finish and on_end; of co-runners, too, whose passes
     * are one turn and which nobody tells off at the very end. */
    void (*on_turn)(
        void *context, uint32_t core, uint32_t task, enum laxity_sim_turn turn, int64_t time_ns
    );
    /*
     * May be NULL. A job, of no co-runner, has made a mark other than of its borders
     * (harness/mark_table.h), at the tick at which the instruction with it had all that it needs.
     * What the task has taken until then holds all instructions before it, and what it has itself
     * fetched, loaded and stored; row_hits is 0, as memory may not have decided yet. Marks of a
     * task come in its order, between its samples, before the on_finish of their job; against other
     * calls they may be early.
     */
    void (*on_mark)(
        void *context,
        uint32_t task,
        uint32_t mark,
        int64_t time_ns,
        const struct laxity_sim_taken *taken
    );
    /* Asked now and then, in real time: shall the run end at once? */
    bool (*must_stop)(void *context);
    /*
     * May be NULL. In place of the `releases` of all tasks: when the next job of a task is released
     * (a time that has passed: at once), and on which cores it runs (preset: the task's);
     * INT64_MAX: not known yet. Asked of each task that has no job, ascending: at first, and
     * whenever jobs have finished, behind their on_finish and on_pass. If no task has a job or a
     * release, all end as stopped.
     */
    int64_t (*on_wait)(void *context, uint32_t task, uint64_t *out_cores);
    /*
     * May be NULL. At first_sample_ns, first_sample_ns + sample_ns, ..., as long as a task that is
     * told has not ended. It costs the simulated machine nothing, unless `interrupts`: then each
     * core that is a task's is interrupted as soon as it has been taken (probe_ticks), before its
     * next instruction.
     */
    void (*on_sample)(void *context, const struct laxity_sim_sample *sample);
    bool interrupts;
    int64_t sample_ns; /* 0: never */
    int64_t first_sample_ns;
    const struct laxity_sim_observer *observer; /* may be NULL */
};

/* What has been counted from the first tick on. */
struct laxity_sim_totals {
    struct laxity_sim_counts cores[LAXITY_SIM_CORES_MAX];
    uint64_t ticks; /* when the last task ended */
};

/*
 * laxity_simulate - execute the tasks until all have ended
 *
 * No job starts at limit_ns or later. After a listener's answer that no further job shall start,
 * those that have begun go on to their end.
 */
void laxity_simulate(
    const struct laxity_sim_platform *platform,
    const struct laxity_sim_task *tasks,
    uint32_t n_tasks,
    int64_t limit_ns,
    const struct laxity_sim_listener *listener,
    struct laxity_sim_totals *out_totals
);

#ifdef __cplusplus
}
#endif

#endif
