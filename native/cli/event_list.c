/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
#include "cli/event_list.h"

#include "base/error.h"
#include "base/json.h"
#include "counters/events.h"
#include "counters/library.h"
#include "harness/counting.h"
#include "harness/segment.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
    if (counting.n_fallbacks == 0) {
        laxity_json_text(json, "platform_event", counting.events[0].platform_event);
        laxity_json_null(json, "reason");
    } else {
        laxity_json_null(json, "platform_event");
        /* Without the name in front, which stands beside it. */
        laxity_json_text(json, "reason", counting.fallbacks[0].reason + strlen(name) + 2);
    }
    laxity_json_close(json, '}');
}

void laxity_print_events(void)
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
