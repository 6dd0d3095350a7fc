/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * laxity-sim-probe SETTINGS OPTION...: in place of laxity-probe, with its options; measures what a
 * simulated platform costs.
 *
 * The probes are laxity-probe's own, and so are the streams that they write. Only what they find as
 * a machine, its clock, its CPUs and what runs on them, is simulated (sim/measure).
 */
#include "base/error.h"
#include "base/visible.h"
#include "cli/probe_options.h"
#include "cli/settings.h"
#include "interface/engine.h"
#include "measure/simulated.h"
#include "probes/session.h"

#include <stdio.h>
#include <string.h>

static void print_note(const char *text)
{
    laxity_write_message("laxity-sim-probe", text);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        (void)puts("laxity-sim-probe " LAXITY_VERSION);
        return LAXITY_EXIT_DONE;
    }
    struct laxity_error error = {0};
    struct laxity_sim_platform platform;
    struct laxity_probe_request request = {0};
    if (argc < 2) {
        laxity_error_set(
            &error,
            LAXITY_EXIT_USAGE,
            "started by laxity measure PROBE --platform sim:NAME, not by hand"
        );
    } else if (laxity_probe_options_parse(argc - 2, argv + 2, &request, &error) == 0 &&
               laxity_sim_settings_read(argv[1], &platform, &error) == 0) {
        laxity_simulated_use(&platform);
        (void)laxity_probe_session(request.command->probe, &request.plan, print_note, &error);
    }
    if (error.exit_code != 0) {
        print_note(error.text);
    }
    laxity_probe_options_free(&request);
    return error.exit_code;
}
