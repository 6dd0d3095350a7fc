/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-run: the part of `laxity run` that runs on the target. Needs nothing but libc. */
#include "base/error.h"
#include "base/visible.h"
#include "cli/event_list.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "harness/own_program.h"
#include "harness/process.h"
#include "harness/recover.h"
#include "harness/supervisor.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void print_note(const char *text)
{
    laxity_write_message("laxity-run", text);
}

static bool answer_question(const char *word)
{
    if (strcmp(word, "--list-events") == 0) {
        laxity_print_events();
        return true;
    }
    return laxity_options_answer(&laxity_run_tool, word);
}

int main(int argc, char **argv)
{
    if (argc > 1 &&
        strncmp(argv[1], LAXITY_HARNESS_OPTION, sizeof LAXITY_HARNESS_OPTION - 1) == 0) {
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
    if (laxity_run_options_parse(argc - 1, argv + 1, request, &error) == 0) {
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
