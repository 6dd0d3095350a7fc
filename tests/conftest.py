# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What holds for every test."""

import signal

import hypothesis

# No test asserts a time on the wall, and a busy machine is not slow input either.
hypothesis.settings.register_profile(
    "laxity", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("laxity")

# A shell that starts the check in the background makes it ignore SIGINT, nohup makes it ignore
# SIGHUP, and every process that it starts: tests of an interrupt would wait for ever.
for number, action in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, action)
