/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-run: the part of `laxity run` that runs on the target. Needs nothing but libc. */
#include "base/error.h"
#include "base/json.h"
#include "base/port/file.h"
#include "base/visible.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/run_tables.h"
#include "counters/event.h"
#include "counters/events.h"
#include "counters/library.h"
#include "harness/counting.h"
#include "harness/own_program.h"
#include "harness/plan.h"
#include "harness/recover.h"
#include "harness/role.h"
#include "harness/segment.h"
#include "harness/supervisor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PLAN_BYTES_MAX = 64 * 1024 * 1024 /* 4096 tasks of 16 KiB each; anything larger is no plan */
};

static void print_note(const char *text)
{
    laxity_write_message("laxity-run", text);
}

static void write_event(struct laxity_json *json, const char *name)
{
    struct laxity_counting counting = {.n_events = 1};
    struct laxity_error error = {0};
    if (laxity_event_resolve(name, &counting.events[0], &error)) {
        return;
    }
    laxity_try_counters(&counting);
    laxity_json_open(json, NULL, '{');
    laxity_json_text(json, "name", name);
    if (counting.events[0].platform_event[0] != '\0') {
        laxity_json_text(json, "platform_event", counting.events[0].platform_event);
        laxity_json_null(json, "reason");
    } else {
        char reason[LAXITY_ERROR_TEXT_BYTES];
        laxity_explain_counter_refusal(counting.refusals[0], reason, sizeof reason);
        laxity_json_null(json, "platform_event");
        laxity_json_text(json, "reason", reason);
    }
    laxity_json_close(json, '}');
}

/*
 * What this machine can count, for `laxity list events`: every event that has a name of its own
 * here, tried.
 *
 * {"library": "libpfm4" | null, "events": [{"name", "platform_event" | null, "reason" | null}]}
 */
static void print_events(void)
{
    struct laxity_json json = {0};
    laxity_json_open(&json, NULL, '{');
    if (laxity_library_name()) {
        laxity_json_text(&json, "library", laxity_library_name());
    } else {
        laxity_json_null(&json, "library");
    }
    laxity_json_open(&json, "events", '[');
    for (unsigned i = 0; laxity_event_name_at(i); i++) {
        write_event(&json, laxity_event_name_at(i));
    }
    laxity_json_close(&json, ']');
    laxity_json_close(&json, '}');
    if (!json.is_out_of_memory) {
        (void)puts(json.text);
    }
    laxity_json_free(&json);
}

static bool answer_question(const char *word)
{
    if (strcmp(word, "--list-events") == 0) {
        print_events();
        return true;
    }
    return laxity_options_answer(&laxity_run_tool, word);
}

/*
 * A command line of many tasks, which no system call takes: its words in a file, each with a null
 * byte behind it. The file has done its work then, and is removed. Nothing is freed: the plan
 * points into it.
 */
static struct laxity_words read_plan(const char *path, struct laxity_error *error)
{
    struct laxity_words words = {.items = NULL};
    struct stat status;
    size_t used = 0;
    if (stat(path, &status) != 0 || status.st_size <= 0 || status.st_size > PLAN_BYTES_MAX) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "--plan %.80s: no file of words", path);
        return words;
    }
    char *text = calloc((size_t)status.st_size + 1, 1);
    char **items = (char **)calloc((size_t)status.st_size + 1, sizeof *items);
    if (!text || !items) {
        laxity_error_set(error, LAXITY_EXIT_LACKING, "no memory for the words of --plan");
    } else if (laxity_read_regular(path, text, (size_t)status.st_size, &used)) {
        laxity_error_set(error, LAXITY_EXIT_USAGE, "--plan %.80s: cannot be read", path);
    } else {
        for (size_t at = 0; at < used; at += strlen(text + at) + 1) {
            items[words.n++] = text + at;
        }
        words.items = items;
        (void)unlink(path);
        return words;
    }
    free(text);
    free((void *)items);
    return words;
}

int main(int argc, char **argv)
{
    if (laxity_has_role(argc, argv)) {
        return laxity_own_program_main(argc, argv);
    }
    if (argc == 2 && answer_question(argv[1])) {
        return LAXITY_EXIT_DONE;
    }
    struct laxity_error error = {0};
    struct laxity_run_request *request = calloc(1, sizeof *request);
    if (!request) {
        return LAXITY_EXIT_LACKING;
    }
    struct laxity_words words = {.items = argv + 1, .n = (unsigned)argc - 1};
    if (argc == 3 && strcmp(argv[1], "--plan") == 0) {
        words = read_plan(argv[2], &error);
    }
    if (error.exit_code == 0 &&
        laxity_run_options_parse((int)words.n, words.items, request, &error) == 0) {
        if (request->recover_dir) {
            (void)laxity_recover(request->recover_dir, &error);
        } else {
            (void)laxity_supervise(&request->plan, print_note, &error);
        }
    }
    if (error.exit_code != 0) {
        print_note(error.text);
    }
    laxity_run_options_free(request);
    free(request);
    return error.exit_code;
}
