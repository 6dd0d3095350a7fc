/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* Made-up pages of the kernel's ring buffer, word by word as linux/ring_buffer.h lays them out. */
#include "../test.h"
#include "schema/streams.h"
#include "trace/trace.h"
#include "trace/tracefs_format.h"
#include "trace/tracefs_records.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    PAGE_BYTES = 4096,
    EVENTS_MAX = 16,
    CPU = 3,
    ID_SWITCH = 372,
    ID_WAKEUP = 374,
    ID_IRQ_IN = 225,
    ID_VECTOR_IN = 165,
    ID_FORK = 203,
    ID_RENAME = 204,
    ID_OTHER = 999,
    LONG = 0,
    PADDING = 29,
    TIME_EXTEND = 30,
    TIME_STAMP = 31,
    DELTA_BITS = 27,
    TYPE_BITS = 5,
    PREEMPTED_STATE = 256,
};

#define COMMON                                                                                     \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                         \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char switch_format[] =
    "name: sched_switch\nID: 372\nformat:\n" COMMON
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", REC->prev_pid\n";
static const char wakeup_format[] = "name: sched_wakeup\nID: 374\nformat:\n" COMMON
                                    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
                                    "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n";
static const char irq_format[] =
    "name: irq_handler_entry\nID: 225\nformat:\n" COMMON
    "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n";
static const char vector_format[] = "name: local_timer_entry\nID: 165\nformat:\n" COMMON
                                    "\tfield:int vector;\toffset:8;\tsize:4;\tsigned:1;\n";
static const char fork_format[] =
    "name: task_newtask\nID: 203\nformat:\n" COMMON
    "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:unsigned long clone_flags;\toffset:32;\tsize:8;\tsigned:0;\n";
static const char rename_format[] = "name: task_rename\nID: 204\nformat:\n" COMMON
                                    "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
                                    "\tfield:char newcomm[16];\toffset:28;\tsize:16;\tsigned:0;\n";
static const char page_format[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                                  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static const struct laxity_tracepoint_kind kinds[] = {
    {"sched", "sched_switch", LAXITY_TRACEPOINT_SWITCH, 0, {"prev_pid", "prev_state", "next_pid"}},
    {"sched", "sched_wakeup", LAXITY_TRACEPOINT_WAKEUP, 0, {"pid", "target_cpu"}},
    {"irq", "irq_handler_entry", LAXITY_TRACEPOINT_IRQ_IN, 0, {"irq", "name"}},
    {"irq_vectors", "local_timer_entry", LAXITY_TRACEPOINT_VECTOR_IN, 0, {"vector"}},
    {"task", "task_newtask", LAXITY_TRACEPOINT_FORK, 0, {"pid", "clone_flags"}},
    {"task", "task_rename", LAXITY_TRACEPOINT_RENAME, 0, {"pid", "newcomm"}},
};
static const char *const formats[] = {
    switch_format, wakeup_format, irq_format, vector_format, fork_format, rename_format
};

static struct laxity_tracefs_layout layout;
static unsigned char page[PAGE_BYTES];
static size_t used;

static struct {
    struct laxity_sched_event events[EVENTS_MAX];
    unsigned n_events;
    struct laxity_thread_event thread;
    char comm[LAXITY_COMM_BYTES];
    unsigned n_threads;
    int64_t vector;
    char vector_name[LAXITY_VECTOR_NAME_BYTES];
    uint64_t lost;
    unsigned events_before_loss;
} seen;

static void take_event(void *context, const struct laxity_sched_event *event)
{
    (void)context;
    if (seen.n_events < EVENTS_MAX) {
        seen.events[seen.n_events] = *event;
    }
    seen.n_events++;
}

static void take_thread(void *context, const struct laxity_thread_event *event)
{
    (void)context;
    seen.thread = *event;
    if (event->comm) {
        memcpy(seen.comm, event->comm, sizeof seen.comm);
    }
    seen.n_threads++;
}

static void take_lost(void *context, int32_t cpu, uint64_t n)
{
    (void)context;
    CHECK_EQUAL(cpu, CPU);
    seen.lost += n;
    seen.events_before_loss = seen.n_events;
}

static void take_vector(void *context, int64_t number, const char *name)
{
    (void)context;
    seen.vector = number;
    memcpy(seen.vector_name, name, strlen(name) + 1);
}

static void start_page(uint64_t time_ns)
{
    memset(&layout, 0, sizeof layout);
    memset(page, 0, sizeof page);
    memset(&seen, 0, sizeof seen);
    CHECK_EQUAL(laxity_tracefs_parse_page(page_format, &layout.page), 0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        CHECK_EQUAL(laxity_tracefs_add(&layout, &kinds[i], formats[i], kinds[i].name), 0);
    }
    memcpy(page, &time_ns, sizeof time_ns);
    used = layout.page.data_offset;
}

static void put_word(uint32_t word)
{
    memcpy(page + used, &word, sizeof word);
    used += sizeof word;
}

/* An entry's header: 5 bits of type, 27 of time since the entry before, in the bit order of C. */
static void put_header(unsigned type, uint32_t delta)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    put_word((uint32_t)type << DELTA_BITS | delta);
#else
    put_word(delta << TYPE_BITS | type);
#endif
}

static void put_record(uint32_t delta, const void *data, size_t bytes)
{
    put_header((unsigned)(bytes / sizeof(uint32_t)), delta);
    memcpy(page + used, data, bytes);
    used += bytes;
}

static void set_number(unsigned char *data, size_t offset, const void *number, size_t bytes)
{
    memcpy(data + offset, number, bytes);
}

static void set_common(unsigned char *data, uint16_t id, int32_t tid)
{
    set_number(data, 0, &id, sizeof id);
    set_number(data, 4, &tid, sizeof tid);
}

static void put_switch(uint32_t delta, int32_t prev, int64_t state, int32_t next)
{
    unsigned char data[64] = {0};
    set_common(data, ID_SWITCH, prev);
    set_number(data, 24, &prev, sizeof prev);
    set_number(data, 32, &state, sizeof state);
    set_number(data, 56, &next, sizeof next);
    put_record(delta, data, sizeof data);
}

static void put_vector(uint32_t delta, int32_t tid, int32_t vector)
{
    unsigned char data[12] = {0};
    set_common(data, ID_VECTOR_IN, tid);
    set_number(data, 8, &vector, sizeof vector);
    put_record(delta, data, sizeof data);
}

static int parse_with(uint64_t flags)
{
    const uint64_t commit = (used - layout.page.data_offset) | flags;
    memcpy(page + layout.page.commit.offset, &commit, sizeof commit);
    const struct laxity_trace_sink sink = {
        .on_event = take_event,
        .on_thread = take_thread,
        .on_lost = take_lost,
        .on_vector = take_vector,
    };
    uint64_t told = 0;
    const int rc = laxity_tracefs_page_parse(&layout, page, sizeof page, CPU, &sink, &told);
    CHECK_EQUAL(told, seen.lost);
    return rc;
}

static int parse(void)
{
    return parse_with(0);
}

static void field_is_found_by_the_last_word_before_its_brackets(void)
{
    struct laxity_tracefs_field field = {0};
    CHECK_EQUAL(laxity_tracefs_find_field(switch_format, "prev_comm", &field), 0);
    CHECK_EQUAL(field.offset, 8);
    CHECK_EQUAL(field.bytes, 16);
    CHECK_EQUAL(laxity_tracefs_find_field(irq_format, "name", &field), 0);
    CHECK_EQUAL(field.offset, 12);
    CHECK_EQUAL(laxity_tracefs_find_field(switch_format, "prev_state", &field), 0);
    CHECK_EQUAL(field.bytes, 8);
    CHECK(field.is_signed);
    /* "pid" is the end of a word here, and no field. */
    CHECK_EQUAL(laxity_tracefs_find_field(switch_format, "pid", &field), -EBADMSG);
}

static void format_that_lacks_a_field_is_refused(void)
{
    memset(&layout, 0, sizeof layout);
    CHECK_EQUAL(laxity_tracefs_add(&layout, &kinds[0], wakeup_format, "sched_switch"), -EBADMSG);
    CHECK_EQUAL(laxity_tracefs_add(&layout, &kinds[0], "", "sched_switch"), -EBADMSG);
    CHECK_EQUAL(layout.n, 0);
    CHECK_EQUAL(laxity_tracefs_add(&layout, &kinds[0], switch_format, "sched_switch"), 0);
    CHECK_EQUAL(layout.n, 1);
}

/* 4080 bytes behind 16; on 32 bits the commit word has 4 bytes and the data begin at 12. */
static void page_of_either_word_size_is_understood(void)
{
    struct laxity_tracefs_page header = {0};
    CHECK_EQUAL(laxity_tracefs_parse_page(page_format, &header), 0);
    CHECK_EQUAL(header.bytes, 4096);
    CHECK_EQUAL(header.commit.bytes, 8);
    const char narrow[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                          "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
                          "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:0;\n";
    CHECK_EQUAL(laxity_tracefs_parse_page(narrow, &header), 0);
    CHECK_EQUAL(header.bytes, 4096);
    CHECK_EQUAL(header.data_offset, 12);
    CHECK_EQUAL(laxity_tracefs_parse_page(switch_format, &header), -EBADMSG);
}

static void switch_is_an_off_and_an_on_at_one_instant(void)
{
    start_page(1000);
    put_switch(0, 7, PREEMPTED_STATE, 8);
    put_switch(150, 8, 1, 7); /* state 1: it sleeps */
    put_switch(50, 7, 0, 0);  /* state 0: it could go on too */
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.n_events, 6);
    CHECK_EQUAL(seen.events[0].kind, LAXITY_SCHED_KIND_OFF);
    CHECK_EQUAL(seen.events[0].time_ns, 1000);
    CHECK_EQUAL(seen.events[0].cpu, CPU);
    CHECK_EQUAL(seen.events[0].tid, 7);
    CHECK_EQUAL(seen.events[0].other_tid, 8);
    CHECK_EQUAL(seen.events[0].preempted, 1);
    CHECK_EQUAL(seen.events[0].prev_state_or_vector, PREEMPTED_STATE);
    CHECK_EQUAL(seen.events[1].kind, LAXITY_SCHED_KIND_ON);
    CHECK_EQUAL(seen.events[1].time_ns, 1000);
    CHECK_EQUAL(seen.events[1].tid, 8);
    CHECK_EQUAL(seen.events[1].other_tid, 7);
    CHECK_EQUAL(seen.events[1].preempted, LAXITY_ABSENT_FLAG);
    CHECK_EQUAL(seen.events[2].time_ns, 1150);
    CHECK_EQUAL(seen.events[2].preempted, 0);
    CHECK_EQUAL(seen.events[4].time_ns, 1200);
    CHECK_EQUAL(seen.events[4].preempted, 1);
}

static void wakeup_names_who_woke_whom_for_which_cpu(void)
{
    start_page(1000);
    unsigned char data[36] = {0};
    const int32_t tid = 7;
    const int32_t cpu = 1;
    set_common(data, ID_WAKEUP, 9);
    set_number(data, 24, &tid, sizeof tid);
    set_number(data, 32, &cpu, sizeof cpu);
    put_record(5, data, sizeof data);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.events[0].kind, LAXITY_SCHED_KIND_WAKEUP);
    CHECK_EQUAL(seen.events[0].tid, 7);
    CHECK_EQUAL(seen.events[0].other_tid, 9);
    CHECK_EQUAL(seen.events[0].prev_state_or_vector, 1);
}

static void interrupt_has_its_number_and_its_name(void)
{
    start_page(1000);
    unsigned char data[24] = {0};
    const int32_t irq = 42;
    const uint32_t place = 7U << 16 | 16; /* 7 bytes at offset 16 */
    set_common(data, ID_IRQ_IN, 7);
    set_number(data, 8, &irq, sizeof irq);
    set_number(data, 12, &place, sizeof place);
    set_number(data, 16, "virtio", 7);
    put_record(0, data, sizeof data);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.events[0].kind, LAXITY_SCHED_KIND_IRQ_IN);
    CHECK_EQUAL(seen.events[0].tid, 7);
    CHECK_EQUAL(seen.events[0].prev_state_or_vector, 42);
    CHECK_EQUAL(seen.vector, 42);
    CHECK_TEXT(seen.vector_name, "virtio");
}

static void vector_of_the_cpu_is_negated_and_named_after_its_tracepoint(void)
{
    start_page(1000);
    put_vector(0, 7, 236);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.events[0].kind, LAXITY_SCHED_KIND_IRQ_IN);
    CHECK_EQUAL(seen.events[0].prev_state_or_vector, -236);
    CHECK_EQUAL(seen.vector, -236);
    CHECK_TEXT(seen.vector_name, "local_timer");
}

static void put_fork(uint64_t flags)
{
    unsigned char data[44] = {0};
    const int32_t tid = 21;
    set_common(data, ID_FORK, 11);
    set_number(data, 8, &tid, sizeof tid);
    set_number(data, 32, &flags, sizeof flags);
    put_record(0, data, sizeof data);
}

/* CLONE_THREAD is 0x10000. */
static void new_thread_is_of_its_makers_process_and_a_new_process_its_own(void)
{
    start_page(1000);
    put_fork(0x10000);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.thread.tid, 21);
    CHECK_EQUAL(seen.thread.parent_tid, 11);
    CHECK_EQUAL(seen.thread.pid, LAXITY_ABSENT_TID);
    CHECK(seen.thread.comm == NULL);
    CHECK_EQUAL(seen.events[0].kind, LAXITY_SCHED_KIND_FORK);
    CHECK_EQUAL(seen.events[0].tid, 21);
    CHECK_EQUAL(seen.events[0].other_tid, 11);
    start_page(1000);
    put_fork(0xffff);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.thread.pid, 21);
}

static void name_without_end_is_cut(void)
{
    start_page(1000);
    unsigned char data[44] = {0};
    const int32_t tid = 21;
    set_common(data, ID_RENAME, 21);
    set_number(data, 8, &tid, sizeof tid);
    set_number(data, 28, "abcdefghijklmnop", 16);
    put_record(0, data, sizeof data);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.thread.tid, 21);
    CHECK_TEXT(seen.comm, "abcdefghijklmno");
    CHECK_EQUAL(seen.n_events, 0);
}

static void time_goes_on_over_everything_that_is_no_record(void)
{
    start_page(1000);
    put_header(TIME_EXTEND, 5); /* 3 * 2^27 + 5 ns later */
    put_word(3);
    put_vector(10, 7, 1);
    put_header(PADDING, 20); /* discarded: 4 + 8 bytes, 20 ns later */
    put_word(8);
    put_word(0);
    put_header(PADDING, 1); /* discarded: here 1 stands for 0 */
    put_word(4);
    put_vector(30, 7, 2);
    put_header(TIME_STAMP, 7); /* the 59 low bits of a time: 2 * 2^27 + 7 */
    put_word(2);
    put_vector(0, 7, 3);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.n_events, 3);
    const int64_t extended = 1000 + (INT64_C(3) << DELTA_BITS) + 5 + 10;
    CHECK_EQUAL(seen.events[0].time_ns, extended);
    CHECK_EQUAL(seen.events[1].time_ns, extended + 20 + 30);
    CHECK_EQUAL(seen.events[2].time_ns, (INT64_C(2) << DELTA_BITS) + 7);
}

static void absolute_time_keeps_the_high_bits_of_the_page(void)
{
    start_page((UINT64_C(3) << 59) + 100);
    put_header(TIME_STAMP, 107);
    put_word(0);
    put_vector(0, 7, 1);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.events[0].time_ns, (INT64_C(3) << 59) + 107);
}

static void long_record_has_its_length_in_a_word_of_its_own(void)
{
    start_page(1000);
    unsigned char data[128] = {0};
    set_common(data, ID_OTHER, 7);
    put_header(LONG, 10);
    put_word(sizeof data + sizeof(uint32_t)); /* it counts itself */
    memcpy(page + used, data, sizeof data);
    used += sizeof data;
    put_vector(5, 7, 1);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.n_events, 1); /* of the other tracepoint nothing is told */
    CHECK_EQUAL(seen.events[0].time_ns, 1015);
}

static void padding_without_time_is_the_end_of_the_page(void)
{
    start_page(1000);
    put_vector(0, 7, 1);
    put_header(PADDING, 0);
    put_vector(0, 7, 2);
    CHECK_EQUAL(parse(), 0);
    CHECK_EQUAL(seen.n_events, 1);
}

/* Bit 31: something is missing before this page; bit 30: how much stands behind its records. */
static void what_is_missing_before_a_page_is_told_before_its_records(void)
{
    start_page(1000);
    put_vector(0, 7, 1);
    const uint64_t missing = 12;
    memcpy(page + used, &missing, sizeof missing);
    CHECK_EQUAL(parse_with(UINT64_C(1) << 31 | UINT64_C(1) << 30), 0);
    CHECK_EQUAL(seen.lost, 12);
    CHECK_EQUAL(seen.events_before_loss, 0);
    CHECK_EQUAL(seen.n_events, 1);
    start_page(1000);
    put_vector(0, 7, 1);
    CHECK_EQUAL(parse_with(UINT64_C(1) << 31), 0);
    CHECK_EQUAL(seen.lost, 1); /* at least */
}

static void size_that_cannot_be_is_refused(void)
{
    start_page(1000);
    put_vector(0, 7, 1);
    put_header(28, 0); /* 112 bytes, of which the page holds none */
    CHECK_EQUAL(parse(), -EBADMSG);
    CHECK_EQUAL(seen.n_events, 1);
    start_page(1000);
    put_header(LONG, 0);
    put_word(3); /* less than the word itself */
    put_word(0);
    CHECK_EQUAL(parse(), -EBADMSG);
    start_page(1000);
    used = PAGE_BYTES + 1; /* more than a page */
    CHECK_EQUAL(parse(), -EBADMSG);
}

static void record_too_short_for_its_fields_has_them_absent(void)
{
    start_page(1000);
    unsigned char data[8] = {0};
    set_common(data, ID_VECTOR_IN, 7);
    put_record(0, data, sizeof data);
    CHECK_EQUAL(parse(), 0);
    CHECK(seen.events[0].prev_state_or_vector == LAXITY_ABSENT_STATE);
}

int main(void)
{
    RUN(field_is_found_by_the_last_word_before_its_brackets);
    RUN(format_that_lacks_a_field_is_refused);
    RUN(page_of_either_word_size_is_understood);
    RUN(switch_is_an_off_and_an_on_at_one_instant);
    RUN(wakeup_names_who_woke_whom_for_which_cpu);
    RUN(interrupt_has_its_number_and_its_name);
    RUN(vector_of_the_cpu_is_negated_and_named_after_its_tracepoint);
    RUN(new_thread_is_of_its_makers_process_and_a_new_process_its_own);
    RUN(name_without_end_is_cut);
    RUN(time_goes_on_over_everything_that_is_no_record);
    RUN(absolute_time_keeps_the_high_bits_of_the_page);
    RUN(long_record_has_its_length_in_a_word_of_its_own);
    RUN(padding_without_time_is_the_end_of_the_page);
    RUN(what_is_missing_before_a_page_is_told_before_its_records);
    RUN(size_that_cannot_be_is_refused);
    RUN(record_too_short_for_its_fields_has_them_absent);
    return test_exit_code();
}
