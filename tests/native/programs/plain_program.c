/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * plain_program WORD...: a program that knows nothing of laxity; does what each word says, then
 * ends with 0.
 *
 *   print TEXT | read | variable NAME | exit CODE | raise SIGNAL | loop | child | threads
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_BYTES = 256,
    CHILD_SECONDS = 600,
    WORK = 2000000,
};

static void *work(void *unused)
{
    volatile unsigned total = 0;
    for (unsigned i = 0; i < WORK; i++) {
        total += i;
    }
    return unused;
}

static void work_in_threads(void)
{
    pthread_t other;
    (void)pthread_create(&other, NULL, work, NULL);
    (void)work(NULL);
    (void)pthread_join(other, NULL);
}

static void copy_input(void)
{
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, stdin)) {
        (void)fputs(line, stdout);
    }
}

/* Words without a value. */
static void do_word(const char *word)
{
    if (strcmp(word, "read") == 0) {
        copy_input();
    } else if (strcmp(word, "threads") == 0) {
        work_in_threads();
    } else if (strcmp(word, "child") == 0 && fork() == 0) {
        (void)sleep(CHILD_SECONDS); /* NOLINT(concurrency-mt-unsafe): alone in its process */
        _exit(0);
    }
    while (strcmp(word, "loop") == 0) {
    }
}

/* Words with one. */
static void do_with(const char *word, const char *value)
{
    if (strcmp(word, "print") == 0) {
        (void)puts(value);
    } else if (strcmp(word, "variable") == 0) {
        const char *content = getenv(value); /* NOLINT(concurrency-mt-unsafe): one thread */
        (void)printf("%s=%s\n", value, content ? content : "unset");
    } else if (strcmp(word, "exit") == 0) {
        exit((int)strtol(value, NULL, 10)); /* NOLINT(concurrency-mt-unsafe): one thread */
    } else if (strcmp(word, "raise") == 0) {
        (void)fflush(stdout);
        (void)raise((int)strtol(value, NULL, 10));
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        do_word(argv[i]);
        if (i + 1 < argc) {
            do_with(argv[i], argv[i + 1]);
        }
    }
    return 0;
}
