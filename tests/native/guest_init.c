/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The first process of the virtual machines in tests/cli/virtual_machine.py: it runs the commands
 * of the file /commands (one word per line, a line "--" between two of them), prints what they left
 * below /run on the console as lines of hexadecimal digits, and switches the machine off.
 *
 * Three commands are its own:
 *   mkdir PATH
 *   write PATH TEXT    into a file that exists, as those of control groups
 *   look PREFIX PATH   prints a file as it is now, with PREFIX before its path
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WORDS_MAX = 64,
    COMMANDS_BYTES = 8192,
    LINE_BYTES = 64,
    PATH_BYTES = 256,
    DIRECTORY_MODE = 0755,
};

static void make_mounts(void)
{
    static const struct {
        const char *type;
        const char *place;
    } mounts[] = {
        {"proc", "/proc"},
        {"sysfs", "/sys"},
        {"devtmpfs", "/dev"},
        {"tmpfs", "/dev/shm"},
        {"tmpfs", "/run"},
        {"tracefs", "/sys/kernel/tracing"},
        {"cgroup2", "/sys/fs/cgroup"},
    };
    for (size_t i = 0; i < sizeof mounts / sizeof mounts[0]; i++) {
        (void)mkdir(mounts[i].place, DIRECTORY_MODE);
        (void)mount(mounts[i].type, mounts[i].place, mounts[i].type, 0, "");
    }
}

static int print_file(const char *prefix, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -errno;
    }
    unsigned char line[LINE_BYTES];
    for (ssize_t got = read(fd, line, sizeof line); got > 0; got = read(fd, line, sizeof line)) {
        (void)printf("file %s%s ", prefix, path);
        for (ssize_t i = 0; i < got; i++) {
            (void)printf("%02x", line[i]);
        }
        (void)putchar('\n');
    }
    (void)close(fd);
    return 0;
}

static int write_file(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const bool is_written = fd >= 0 && write(fd, text, strlen(text)) >= 0;
    const int status = is_written ? 0 : -errno;
    if (fd >= 0) {
        (void)close(fd);
    }
    return status;
}

/* Runs a command of the first process itself; returns whether it is one. */
static bool run_own(char **words, unsigned n, int *out_status)
{
    if (n == 2 && strcmp(words[0], "mkdir") == 0) {
        *out_status = mkdir(words[1], DIRECTORY_MODE) ? -errno : 0;
        return true;
    }
    if (n == 3 && strcmp(words[0], "write") == 0) {
        *out_status = write_file(words[1], words[2]);
        return true;
    }
    if (n == 3 && strcmp(words[0], "look") == 0) {
        *out_status = print_file(words[1], words[2]);
        return true;
    }
    return false;
}

/* One whose last word is & runs beside those after it; its status is not known. */
static int run_command(char **words, unsigned n)
{
    const bool is_beside = n > 0 && strcmp(words[n - 1], "&") == 0;
    if (is_beside) {
        words[n - 1] = NULL;
    }
    const pid_t pid = fork();
    if (pid == 0 && words[0]) {
        (void)execv(words[0], words);
    }
    if (pid == 0) {
        _exit(127);
    }
    int status = -1;
    if (is_beside) {
        return 0;
    }
    (void)waitpid(pid, &status, 0);
    return status;
}

/* A word "--" of a command itself is written as "\\--". */
static void run_commands(void)
{
    static char text[COMMANDS_BYTES];
    static char *words[WORDS_MAX];
    const int fd = open("/commands", O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    unsigned n = 0;
    char *rest = NULL;
    for (char *word = got < 0 ? NULL : strtok_r(text, "\n", &rest); word && n + 1 < WORDS_MAX;
         word = strtok_r(NULL, "\n", &rest)) {
        if (strcmp(word, "--") != 0) {
            words[n++] = word[0] == '\\' ? word + 1 : word;
            continue;
        }
        words[n] = NULL;
        int status = 0;
        if (!run_own(words, n, &status)) {
            status = run_command(words, n);
        }
        (void)printf("status %d\n", status);
        n = 0;
    }
}

/* Prints the files of a directory and of those in it, to the second level. The only thread of the
 * process reads it. */
static void print_files(const char *path, bool has_more)
{
    DIR *directory = opendir(path);
    const struct dirent *entry = NULL;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (directory && (entry = readdir(directory)) != NULL) {
        char inner[PATH_BYTES];
        if (snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= PATH_BYTES) {
            continue;
        }
        if (entry->d_name[0] != '.' && entry->d_type == DT_REG) {
            (void)print_file("", inner);
        } else if (entry->d_name[0] != '.' && entry->d_type == DT_DIR && has_more) {
            print_files(inner, false);
        }
    }
    if (directory) {
        (void)closedir(directory);
    }
}

int main(void)
{
    make_mounts();
    const int console = open("/dev/console", O_RDWR);
    for (int fd = 0; console >= 0 && fd < 3; fd++) {
        (void)dup2(console, fd);
    }
    struct utsname kernel;
    if (uname(&kernel) == 0) {
        (void)printf("kernel %s\n", kernel.version);
    }
    (void)print_file("", "/sys/devices/system/node/online");
    run_commands();
    print_files("/run", true);
    (void)printf("end\n");
    (void)fflush(NULL);
    (void)reboot(RB_POWER_OFF);
    return 0;
}
