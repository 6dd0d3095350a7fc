/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* laxity-probe: the part of `laxity measure` that runs on the target. Needs nothing but libc. */
#include "base/error.h"
#include "base/visible.h"
#include "cli/options.h"
#include "cli/probe_options.h"
#include "probes/session.h"

static void print_note(const char *text)
{
    laxity_write_message("laxity-probe", text);
}

int main(int argc, char **argv)
{
    const struct laxity_tool tool = laxity_probe_tool();
    if (argc == 2 && laxity_options_answer(&tool, argv[1])) {
        return LAXITY_EXIT_DONE;
    }
    struct laxity_error error = {0};
    struct laxity_probe_request request;
    if (laxity_probe_options_parse(argc - 1, argv + 1, &request, &error) == 0) {
        (void)laxity_probe_session(request.command->probe, &request.plan, print_note, &error);
    }
    if (error.exit_code != 0) {
        print_note(error.text);
    }
    laxity_probe_options_free(&request);
    return error.exit_code;
}
