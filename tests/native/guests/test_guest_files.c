/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/* What a guest leaves in its working directory, and putting back what was there. */
#include "../test.h"
#include "guests/guest_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TEXT_BYTES = 64,
    FILE_MODE = 0640,
    DIRECTORY_MODE = 0750,
};

static void write_file(const char *path, int flags, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, FILE_MODE);
    CHECK(fd >= 0);
    CHECK_EQUAL(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    CHECK_EQUAL(close(fd), 0);
}

static bool holds(const char *path, const char *text)
{
    char read_text[TEXT_BYTES] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? -1 : read(fd, read_text, sizeof read_text - 1);
    if (fd >= 0) {
        (void)close(fd);
    }
    return n >= 0 && strcmp(read_text, text) == 0;
}

/* What every test begins with: input "12", data/table "34", a link to the first. */
static struct laxity_guest_files files;

static void begin(void)
{
    char path[] = "/tmp/laxity-test-files-XXXXXX";
    CHECK(mkdtemp(path) != NULL);
    CHECK_EQUAL(chdir(path), 0);
    CHECK_EQUAL(mkdir("data", DIRECTORY_MODE), 0);
    write_file("input", 0, "12");
    write_file("data/table", 0, "34");
    CHECK_EQUAL(symlink("input", "link"), 0);
    CHECK_EQUAL(laxity_guest_files_keep(&files), 0);
}

/* A guest's process ends with its files; here the next test has its own. */
static void forget(void)
{
    for (size_t i = 0; i < files.n_kept; i++) {
        free(files.kept[i].path);
        free(files.kept[i].data);
    }
    free(files.kept);
}

static void end(void)
{
    laxity_guest_files_restore(&files);
    CHECK(holds("input", "12"));
    CHECK(holds("data/table", "34"));
    CHECK(holds("link", "12"));
    struct laxity_files_look look;
    laxity_guest_files_look(&look);
    CHECK_EQUAL(look.hash, files.hash);
    forget();
    CHECK_EQUAL(look.n_told, 3);
    CHECK_EQUAL(unlink("input") + unlink("data/table") + unlink("link") + rmdir("data"), 0);
    char path[TEXT_BYTES];
    CHECK(getcwd(path, sizeof path) != NULL);
    CHECK_EQUAL(rmdir(path), 0);
    CHECK_EQUAL(chdir("/"), 0);
}

static uint64_t hash_now(void)
{
    struct laxity_files_look look;
    laxity_guest_files_look(&look);
    return look.hash;
}

static void a_new_file_is_told_by_name_and_size_and_removed(void)
{
    begin();
    write_file("data/result", 0, "12345");
    struct laxity_files_look look;
    laxity_guest_files_look(&look);
    CHECK(look.hash != files.hash);
    CHECK_EQUAL(look.n_told, 4);
    CHECK_TEXT(look.told[0].path, "data/result");
    CHECK_EQUAL(look.told[0].bytes, 5);
    end();
}

static void a_file_that_was_appended_to_is_as_it_was(void)
{
    begin();
    write_file("input", O_APPEND, "3");
    CHECK(hash_now() != files.hash);
    end();
}

static void a_file_of_the_same_size_with_other_contents_differs(void)
{
    begin();
    write_file("input", O_TRUNC, "21");
    CHECK(hash_now() != files.hash);
    end();
}

static void a_deleted_file_and_a_deleted_directory_come_back(void)
{
    begin();
    CHECK_EQUAL(unlink("input"), 0);
    CHECK_EQUAL(unlink("data/table"), 0);
    CHECK_EQUAL(rmdir("data"), 0);
    CHECK(hash_now() != files.hash);
    end();
}

static void a_renamed_file_has_its_old_name_only(void)
{
    begin();
    CHECK_EQUAL(rename("input", "output"), 0);
    CHECK(hash_now() != files.hash);
    end();
}

static void what_replaced_a_file_makes_room_for_it(void)
{
    begin();
    CHECK_EQUAL(unlink("input"), 0);
    CHECK_EQUAL(mkdir("input", DIRECTORY_MODE), 0);
    write_file("input/inner", 0, "x");
    CHECK_EQUAL(unlink("link"), 0);
    write_file("link", 0, "12");
    end();
}

static void a_second_name_of_a_file_does_not_change_with_it(void)
{
    begin();
    CHECK_EQUAL(link("input", "other"), 0);
    write_file("input", O_TRUNC, "changed");
    end();
}

static void files_that_nobody_has_touched_have_the_same_hash(void)
{
    begin();
    CHECK_EQUAL(hash_now(), files.hash);
    end();
}

int main(void)
{
    RUN(a_new_file_is_told_by_name_and_size_and_removed);
    RUN(a_file_that_was_appended_to_is_as_it_was);
    RUN(a_file_of_the_same_size_with_other_contents_differs);
    RUN(a_deleted_file_and_a_deleted_directory_come_back);
    RUN(a_renamed_file_has_its_old_name_only);
    RUN(what_replaced_a_file_makes_room_for_it);
    RUN(a_second_name_of_a_file_does_not_change_with_it);
    RUN(files_that_nobody_has_touched_have_the_same_hash);
    return test_exit_code();
}
