/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * What the processes of one run share: a file on tmpfs, mapped by all of them.
 *
 *   struct laxity_segment | task blocks | co-runner blocks | rings | mark rings | rings of samples
 * | job rings of programs that keep their own main()
 *
 * Every part has ONE writer, named above it. What one process writes while another reads it is
 * atomic; everything else is written before the reader exists or before an atomic flag is set with
 * release order. Nothing holds a pointer, so a process that maps the file later, even after all
 * others died, can read it.
 */
#ifndef LAXITY_HARNESS_SEGMENT_H
#define LAXITY_HARNESS_SEGMENT_H

#include "base/cpus.h"
#include "base/error.h"
#include "base/histogram.h"
#include "base/memory_account.h"
#include "base/port/atomic64.h"
#include "base/port/deadline.h"
#include "base/port/sched.h"
#include "counters/counters.h"
#include "counters/event.h"
#include "harness/mark_ring.h"
#include "harness/passage_ring.h"
#include "harness/release.h"
#include "schema/run.h"
#include "schema/streams.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAXITY_SEGMENT_MAGIC = 0x4c415831, /* "LAX1" */
    LAXITY_SEGMENT_VERSION = 19,
    /* Of this version, where pointers have 64 bits. */
    LAXITY_VERSION_RECORD_BYTES = 512,
    LAXITY_VERSION_TASK_BYTES = 101120,
    LAXITY_VERSION_HEADER_BYTES = 342592,
    /* In a task: what is looked at while a run goes on (python/laxity/store/live_segment.py). */
    LAXITY_VERSION_NOT_MET_OFFSET = 11920,
    LAXITY_VERSION_HISTOGRAMS_OFFSET = 12008,
    LAXITY_CACHE_LINE_BYTES = 64,
    LAXITY_RUN_DIR_BYTES = 4096, /* the kernel's limit of paths */
    LAXITY_FALLBACKS_MAX = 16,
    LAXITY_LOG_COLUMNS_MAX = 64, /* different ones: a row has room for no more */
    LAXITY_LOG_VALUES_MAX = 16,  /* of one task */
    /* Rows are gathered and written together: one system call for many rows. */
    LAXITY_ROWS_BUFFER_BYTES = 64 * 1024,
    LAXITY_THREAD_NAME_BYTES = 16, /* the kernel's */
};

/* At the first job of which kind a run stops. */
enum laxity_stop_on_kind {
    LAXITY_STOP_ON_NOTHING,
    LAXITY_STOP_ON_MISS,
    LAXITY_STOP_ON_RESPONSE
};

struct laxity_stop_on {
    enum laxity_stop_on_kind kind;
    int64_t response_ns; /* of LAXITY_STOP_ON_RESPONSE: a longer one */
};

/* Why a task or co-runner ended. What aborts a job comes first, as in the column `cause`. */
enum laxity_end {
    LAXITY_END_NONE = LAXITY_CAUSE_NONE,
    LAXITY_END_INTERRUPT = LAXITY_CAUSE_INTERRUPT,
    LAXITY_END_TIMEOUT = LAXITY_CAUSE_TIMEOUT,
    LAXITY_END_SIGNAL = LAXITY_CAUSE_SIGNAL,
    LAXITY_END_EXIT = LAXITY_CAUSE_EXIT,
    LAXITY_END_MEMORY_LIMIT = LAXITY_CAUSE_MEMORY_LIMIT,
    LAXITY_END_KILLED = LAXITY_CAUSE_KILLED,
    LAXITY_END_JOBS = LAXITY_CAUSE_COUNT,
    LAXITY_END_DURATION,
    LAXITY_END_STOPPED,
};

struct laxity_fallback {
    char what[LAXITY_NAME_BYTES];
    char used[LAXITY_NAME_BYTES];
    char reason[LAXITY_ERROR_TEXT_BYTES];
};

enum laxity_record_state {
    LAXITY_RECORD_EMPTY,
    LAXITY_RECORD_CLAIMED, /* its job is waited for, or runs: then job_start_ns is not 0 */
    LAXITY_RECORD_DONE
};

/* One ring slot. Whole pairs of cache lines, so that neighbours never share one with a slot that
 * the drain process reads. The counts and log values come last: without them their lines are never
 * touched. */
struct laxity_job_record {
    _Alignas(2 * LAXITY_CACHE_LINE_BYTES) _Atomic uint32_t state;
    int32_t tid;
    uint64_t ordinal; /* how many jobs were started before: a hole means lost records, not skipped
                         jobs */
    uint64_t job;
    int64_t release_ns; /* of an own program, as it says; others have theirs by arithmetic */
    int64_t start_ns;
    int64_t finish_ns;
    int64_t exec_ns;
    uint64_t start_ticks;
    uint64_t finish_ticks;
    int32_t cpu_start;
    int32_t cpu_finish;
    int32_t preemptions;
    int32_t blockings;
    int32_t minor_faults;
    int32_t major_faults;
    uint32_t
        cause; /* enum laxity_end of a job that was aborted while its task goes on, else NONE */
    int64_t roi_ns;
    uint32_t roi_count;
    int64_t busy_ns; /* of a simulated platform: what exec_ns went into */
    int64_t stall_own_ns;
    int64_t stall_reload_ns;
    int64_t stall_moved_ns;
    int64_t stall_shared_ns;
    int32_t migrations; /* likewise */
    uint64_t migrated_at;
    _Alignas(LAXITY_CACHE_LINE_BYTES) struct laxity_counts counts;
    float log_values[LAXITY_LOG_VALUES_MAX];
};

/* Clauses at the end of messages, "" = none: what they advise is spelled as the command line that
 * made the run spells it. */
struct laxity_advice {
    char output[LAXITY_NAME_BYTES];       /* where to read what a workload printed */
    char other_policy[LAXITY_NAME_BYTES]; /* how to do without FIFO and RR */
};

/* One slot of a task's ring of samples: what was counted since t0. */
struct laxity_sample {
    _Alignas(2 * LAXITY_CACHE_LINE_BYTES) int64_t time_ns;
    struct laxity_counts counts;
};

/* Set before the task's process exists; constant afterwards. Shared by tasks and co-runners. */
struct laxity_process_config {
    char name[LAXITY_NAME_BYTES];
    struct laxity_cpus cpus; /* empty = as inherited */
    enum laxity_policy policy;
    int32_t priority;
    struct laxity_reservation reservation; /* of LAXITY_POLICY_DEADLINE */
    uint32_t allow_unprivileged;
    struct laxity_advice advice;
};

struct laxity_task_config {
    struct laxity_process_config process;
    /*
     * What schema/run.toml calls a task's own. The deadline is relative, LAXITY_ABSENT_NS = none; 0
     * is no limit of jobs or of memory; threads are those that the workload says it has, its main
     * one included; 0 calls are 1 (workload_ops.h); jobs of an own program come from its ring
     * (own_jobs.h).
     */
    LAXITY_TASK_OWN_MEMBERS
    uint32_t log_level; /* of RT-Bench's command line (workload_ops.h); 0 = another started it */
};

/* What of a process was found otherwise than planned. */
enum laxity_displaced_kind {
    LAXITY_DISPLACED_POLICY, /* with its priority, niceness or reservation */
    LAXITY_DISPLACED_CPUS,   /* it may run on others */
    LAXITY_DISPLACED_KINDS,
};

/* The first time that it was found so. `is_seen` is set last. */
struct laxity_displaced {
    _Atomic uint32_t is_seen;
    int64_t seen_ns;
    struct laxity_atomic64 jobs; /* that ended so, where the task itself looks */
    char planned[LAXITY_NAME_BYTES];
    char found[LAXITY_NAME_BYTES];
};

enum laxity_phase {
    LAXITY_PHASE_SETUP, /* until ready for the first release */
    LAXITY_PHASE_READY,
    LAXITY_PHASE_TEARDOWN, /* the last job is over */
    LAXITY_PHASE_DONE,
};

/* Writer: the process itself. */
struct laxity_process_state {
    _Atomic uint32_t phase;
    struct laxity_error error; /* set before the process exits with a failure */
    uint32_t n_fallbacks;
    struct laxity_fallback fallbacks[LAXITY_FALLBACKS_MAX];
    enum laxity_policy policy;       /* in force */
    struct laxity_scheduling placed; /* as the kernel told it when the policy was in force */
    uint32_t is_placed;              /* 0: the kernel does not tell, nobody compares */
    struct laxity_displaced displaced[LAXITY_DISPLACED_KINDS];
    uint32_t memory_is_locked;
};

/* What isolating jobs from one another took, off their own time; n = 0: nobody does. */
struct laxity_isolating {
    uint64_t n;
    int64_t total_ns;
    int64_t max_ns;
    int64_t begun_ns;    /* when the process of the next job was begun, where it has one */
    int64_t checking_ns; /* of the job that has just ended: its log value */
};

/* Jobs that were aborted while their task went on. */
struct laxity_aborted {
    uint64_t first_job;
    int32_t first_status; /* of its process, as waitpid gives it; 0 = it has none of its own */
    uint32_t first_cause; /* enum laxity_end */
    struct laxity_atomic64 n;
};

/* Whose process runs a job. */
enum laxity_job_process {
    LAXITY_JOB_IN_TASK,    /* the task's own */
    LAXITY_JOB_IN_CHILD,   /* a child of it, forked before the release */
    LAXITY_JOB_IN_FRESH,   /* of the same executable, begun anew before the release */
    LAXITY_JOB_IN_PROGRAM, /* of a program that knows nothing of us */
};

/* Bytes beyond those at its begin: at most at once, and all that were ever added. */
struct laxity_need {
    uint64_t peak_bytes;
    uint64_t total_bytes;
};

/* What a workload's memory came to (memory_need.h). Writer: the watcher. `is_measured` is set last.
 */
struct laxity_memory_need {
    struct laxity_need mapped;
    struct laxity_need touched;
    struct laxity_need written;
    uint64_t stack_bytes; /* of mapped: how far the main thread's stack went */
    uint64_t
        static_bytes; /* mapped at the begin: what the executable and its libraries can write */
    uint64_t calls;   /* that were watched */
    uint32_t method;  /* enum laxity_page_scan_method */
    uint32_t is_written_known;
    _Atomic uint32_t is_measured;
};

/* Writer: the task. */
struct laxity_task_state {
    struct laxity_process_state process;
    /*
     * Start of the running job, 0 between jobs; and the release waited for. The killer's heartbeat,
     * and the proof that a claimed record belongs to a job which has started.
     */
    _Alignas(LAXITY_CACHE_LINE_BYTES) struct laxity_atomic64 job_start_ns;
    struct laxity_atomic64 next_release_ns;
    struct laxity_atomic64 head;         /* records completed */
    struct laxity_atomic64 lost_records; /* the ring was full */
    struct laxity_atomic64 rttime_pauses;
    _Atomic uint32_t
        end; /* LAXITY_END_JOBS, _DURATION, _STOPPED or _INTERRUPT once the loop is left */
    int64_t end_ns;
    /* Of an own program, or of the process of a job, while it lives, else 0; leads its group. */
    _Atomic int32_t program_pid;
    _Atomic uint32_t job_process; /* enum laxity_job_process */
    /* Of jobs that are programs: when the one that exists begins; 0 = none exists. */
    struct laxity_atomic64 program_release_ns;
    struct laxity_aborted aborted;
    uint32_t has_regions; /* of interest (workload_ops.h) */
    uint32_t n_log_names;
    char log_names[LAXITY_LOG_VALUES_MAX][LAXITY_NAME_BYTES]; /* columns of its own values */
    int64_t snapshot_exec_ns; /* cost of an empty pair of snapshots, medians of snapshot_n */
    int64_t snapshot_wall_ns;
    uint32_t snapshot_n;
    struct laxity_isolating isolating;
    struct laxity_memory_account memory;     /* what the workload holds */
    struct laxity_memory_need need;          /* writer: its watcher */
    uint32_t counted_events;                 /* bit i: events[i] of the segment counts here */
    int64_t empty_counts[LAXITY_EVENTS_MAX]; /* of an empty pair of snapshots, medians */
    struct laxity_atomic64 sample_head;      /* writer: the task's sampler */
    struct laxity_atomic64 lost_samples;     /* the ring was full, or the bucket slept through */
    struct laxity_job_record spare;          /* takes the job whose record is lost */
};

/* One of a task's threads but its main one. */
struct laxity_thread {
    int32_t tid;
    char name[LAXITY_THREAD_NAME_BYTES];
    struct laxity_atomic64 from_ns; /* the look before the first one that found it */
    struct laxity_atomic64 to_ns;   /* the last look that found it */
};

/* Writer: the task's main thread (threads.c). */
struct laxity_thread_table {
    _Atomic uint32_t n;
    _Atomic uint32_t most; /* threads at once, the main one included; 0 = nobody has looked */
    struct laxity_atomic64 looked_ns; /* the last look */
    uint32_t is_undeclared_told;
    uint32_t is_full_told;
    struct laxity_thread rows[LAXITY_THREADS_LISTED_MAX];
};

/* Writer: the supervisor. `end` is set last. */
struct laxity_verdict {
    int32_t pid;
    _Atomic uint32_t end; /* why, where the process did not say so itself */
    int64_t end_ns;
    int32_t wait_status;
    /* Release of the job whose process was killed because it took too long; its task goes on. */
    struct laxity_atomic64 timed_out_ns;
    struct laxity_displaced displaced[LAXITY_DISPLACED_KINDS]; /* as seen from outside */
    char detail[LAXITY_ERROR_TEXT_BYTES];
};

/* Jobs that started or finished on a CPU that was not planned. */
struct laxity_elsewhere {
    uint64_t jobs;
    uint64_t first_job;
    int64_t first_ns;
    int32_t first_cpu;
};

/* Writer: the drain process. Enough to go on after that process died. */
struct laxity_drain_task {
    struct laxity_atomic64 tail; /* records taken out of the ring */
    struct laxity_atomic64 sample_tail;
    uint64_t next_job; /* first job without a row */
    uint64_t next_ordinal;
    uint64_t lost_records;
    uint64_t counts[LAXITY_STATUS_COUNT];
    uint64_t not_met;
    uint64_t released;
    uint64_t faults_minor; /* after job 0 */
    uint64_t faults_major;
    uint64_t output_bytes;
    struct laxity_elsewhere elsewhere;
    int64_t end_ns;     /* the task's end, once known */
    uint32_t end;       /* enum laxity_end */
    uint32_t is_closed; /* rows up to the task's end are written */
    struct laxity_histogram histograms[LAXITY_QUANTITY_COUNT];
};

/* System calls of a simulated program whose answers may be others in another run: the first ones,
 * each once. Writer: laxity-sim. */
enum {
    LAXITY_ASKED_CALLS = 8,
    LAXITY_ASKED_BYTES = 32,
};

struct laxity_asked {
    uint32_t n;
    char calls[LAXITY_ASKED_CALLS][LAXITY_ASKED_BYTES];
};

struct laxity_task {
    struct laxity_task_config config;
    struct laxity_task_state state;
    struct laxity_thread_table threads;
    struct laxity_verdict verdict;
    struct laxity_asked asked;
    _Alignas(LAXITY_CACHE_LINE_BYTES) struct laxity_drain_task drain;
};

struct laxity_corunner {
    struct laxity_process_config config;
    struct laxity_process_state state;
    _Alignas(LAXITY_CACHE_LINE_BYTES) struct laxity_atomic64 passes; /* writer: the co-runner */
    _Atomic int32_t program_pid; /* the process of the pass that runs, of a program; 0 = none */
    struct laxity_verdict verdict;
    /* Writer: the supervisor. */
    uint64_t passes_before_t0;
    uint64_t passes_at_end;
};

enum laxity_run_status {
    LAXITY_RUN_RUNNING,
    LAXITY_RUN_COMPLETE,
    LAXITY_RUN_INTERRUPTED,
    LAXITY_RUN_FAILED,
    LAXITY_RUN_RECOVERED,
};

/* The job that a run stopped at. Writer: the drain process; `is_told` is set last. */
struct laxity_stop_job {
    uint32_t is_found;
    uint32_t task;
    uint64_t job;
    int64_t release_ns;
    int64_t abs_deadline_ns; /* LAXITY_ABSENT_NS = none */
    int64_t finish_ns;
    int64_t seen_ns; /* 0 = when the run was over anyway, or by the task itself */
    _Atomic uint32_t is_told;
};

/* `stop` of a run. */
enum laxity_run_stop {
    LAXITY_RUN_GOES_ON,
    LAXITY_RUN_STOPS,           /* tasks and co-runners shall end */
    LAXITY_RUN_STOPS_AFTER_JOBS /* no task shall start another job; co-runners go on */
};

enum {
    LAXITY_STALLS_MAX = 16,
    LAXITY_STALL_OF_RUN = UINT16_MAX, /* in place of a task: all of it */
};

/* The run, or one task of it, did nothing although time went on (stalls.h). */
struct laxity_stall {
    int64_t from_ns;
    int64_t to_ns; /* 0 = not over */
    uint32_t task;
};

/* Writer: the supervisor. */
struct laxity_stalls {
    _Atomic uint32_t n;
    uint32_t more; /* that found no room */
    struct laxity_stall listed[LAXITY_STALLS_MAX];
};

/* What is counted in every task. Writer: the supervisor, before any task exists. */
struct laxity_counting {
    struct laxity_event events[LAXITY_EVENTS_MAX];
    uint32_t n_events;
    int32_t refusals[LAXITY_EVENTS_MAX]; /* errno of events that lost their platform_event */
    uint32_t n_fallbacks;
    struct laxity_fallback fallbacks[LAXITY_FALLBACKS_MAX]; /* what cannot be counted, by reason */
    int64_t sample_bucket_ns;                               /* between samples within jobs */
    uint32_t sample_slots; /* a power of two, per task; 0 = no samples are taken */
    int32_t sample_cpu;    /* of the samplers; -1 = where their task runs */
};

/* Writer: the supervisor. */
struct laxity_run_state {
    struct laxity_atomic64 t0_ns;    /* 0 = not published */
    struct laxity_atomic64 alive_ns; /* when the supervisor last looked after the run */
    _Atomic uint32_t stop;           /* enum laxity_run_stop */
    _Atomic uint32_t status;
    int64_t end_ns;
    struct laxity_error error;
    int64_t oom_kills; /* that were told of so far; -1 = nothing tells */
    uint64_t ticks_t0;
    uint64_t ticks_end;
    int64_t ticks_t0_ns;
    int64_t ticks_end_ns;
    uint64_t lines_read; /* of a simulated platform: what was sent to its memory, by all cores */
    uint64_t lines_written;
    uint64_t samples; /* of a whole simulated platform, in counters.npy */
    struct laxity_stalls stalls;
};

struct laxity_segment {
    uint32_t magic;
    uint32_t version;
    uint64_t bytes;
    uint32_t n_tasks;
    uint32_t n_corunners;
    uint32_t ring_slots; /* a power of two, per task */
    enum laxity_snapshots snapshots;
    enum laxity_keep keep;
    uint64_t keep_rows;  /* of LAXITY_KEEP_TAIL */
    int64_t duration_ns; /* LAXITY_ABSENT_NS = none */
    struct laxity_stop_on stop_on;
    uint32_t is_simulated;              /* times are those of a simulated platform */
    char ticks_name[16];                /* "" = none */
    char finisher[1024];                /* shell command for a run whose caller died, "" = none */
    char run_dir[LAXITY_RUN_DIR_BYTES]; /* whole path; "" = not known */
    uint64_t
        own_rings_offset;    /* of the job rings of own programs, one per task; 0 = there is none */
    uint32_t regulated_task; /* counted from 1; 0 = none */
    struct laxity_counting counting;
    struct laxity_run_state run;
    /* Writer: the regulated task. */
    struct laxity_passage_ring passages;
    /* Writer: the drain process. */
    _Alignas(LAXITY_CACHE_LINE_BYTES
    ) _Atomic int32_t output_error; /* -errno of the stream writer */
    struct laxity_stop_job stop_job;
    uint64_t rows_written;
    uint64_t rows_kept_from;  /* LAXITY_KEEP_TAIL: rows ever kept */
    uint32_t jobs_is_open;    /* jobs.npy exists */
    uint32_t samples_is_open; /* counters.npy exists */
    uint32_t marks_is_open;   /* probe.npy exists */
    uint32_t is_unsorted;     /* rows are not in order of release */
    int64_t last_release_ns;
    uint32_t last_task;
    uint32_t log_source;    /* process whose output stands last in output.log, counted from 1 */
    uint64_t log_bytes;     /* in output.log */
    uint32_t rows_buffered; /* made, not written yet; here, so that no row is in one process's
                               memory alone */
    unsigned char rows[LAXITY_ROWS_BUFFER_BYTES];
};

/* Programs of another build must not take a segment for theirs: whoever changes a size here raises
 * LAXITY_SEGMENT_VERSION, too. */
_Static_assert(
    sizeof(void *) != sizeof(uint64_t) ||
        (sizeof(struct laxity_job_record) == LAXITY_VERSION_RECORD_BYTES &&
         sizeof(struct laxity_task) == LAXITY_VERSION_TASK_BYTES &&
         sizeof(struct laxity_segment) == LAXITY_VERSION_HEADER_BYTES &&
         offsetof(struct laxity_task, drain.not_met) == LAXITY_VERSION_NOT_MET_OFFSET &&
         offsetof(struct laxity_task, drain.histograms) == LAXITY_VERSION_HISTOGRAMS_OFFSET),
    "the layout of the segment has changed: raise LAXITY_SEGMENT_VERSION"
);

/* laxity_segment_bytes - size of the file for so many processes, without rings of samples */
size_t laxity_segment_bytes(uint32_t n_tasks, uint32_t n_corunners, uint32_t ring_slots);

/* laxity_segment_sample_bytes - what the rings of samples add behind it */
size_t laxity_segment_sample_bytes(uint32_t n_tasks, uint32_t sample_slots);

/* laxity_segment_check - 0 if `bytes` at segment are one of ours, in this version; else -EINVAL */
int laxity_segment_check(const struct laxity_segment *segment, size_t bytes);

struct laxity_task *laxity_segment_task(struct laxity_segment *segment, uint32_t task);
struct laxity_corunner *laxity_segment_corunner(struct laxity_segment *segment, uint32_t corunner);
struct laxity_job_record *laxity_segment_ring(struct laxity_segment *segment, uint32_t task);
struct laxity_sample *laxity_segment_samples(struct laxity_segment *segment, uint32_t task);
struct laxity_mark_ring *laxity_segment_marks(struct laxity_segment *segment, uint32_t task);

/* laxity_task_releases - the arithmetic of one task, once t0 is published */
struct laxity_releases
laxity_task_releases(const struct laxity_segment *segment, const struct laxity_task *task);

/*
 * laxity_store_sample - into the task's ring, or lost and counted; by the task's sampler alone
 *
 * The drain process may be late, the sampler must not wait, and no slot is written twice before it
 * was read.
 */
void laxity_store_sample(
    struct laxity_segment *segment,
    uint32_t task_index,
    int64_t time_ns,
    const struct laxity_counts *counts
);

/* laxity_add_fallback - note that something else than asked for is used; more than fit are dropped
 * (there are 6 kinds, and one per event) */
void laxity_add_fallback(
    struct laxity_process_state *state, const char *what, const char *used, const char *reason
);

const char *laxity_end_name(enum laxity_end end);
const char *laxity_policy_name(enum laxity_policy policy);

#endif
