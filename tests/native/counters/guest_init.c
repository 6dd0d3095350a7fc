/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * The first process of the virtual machine in tests/cli/test_pmu.py: it runs the command of the
 * file /command (one word per line), prints what the command left below /run on the console as
 * lines of hexadecimal digits, and switches the machine off.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WORDS_MAX = 64,
    COMMAND_BYTES = 4096,
    LINE_BYTES = 64,
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
    };
    for (size_t i = 0; i < sizeof mounts / sizeof mounts[0]; i++) {
        (void)mkdir(mounts[i].place, DIRECTORY_MODE);
        (void)mount(mounts[i].type, mounts[i].place, mounts[i].type, 0, "");
    }
}

static int run_command(void)
{
    static char text[COMMAND_BYTES];
    static char *words[WORDS_MAX];
    const int fd = open("/command", O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    unsigned n = 0;
    char *rest = NULL;
    for (char *word = got < 0 ? NULL : strtok_r(text, "\n", &rest); word && n + 1 < WORDS_MAX;
         word = strtok_r(NULL, "\n", &rest)) {
        words[n++] = word;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        (void)execv(words[0], words);
        _exit(127);
    }
    int status = -1;
    (void)waitpid(pid, &status, 0);
    return status;
}

static void print_file(const char *name)
{
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    unsigned char line[LINE_BYTES];
    for (ssize_t got = read(fd, line, sizeof line); got > 0; got = read(fd, line, sizeof line)) {
        (void)printf("file %s ", name);
        for (ssize_t i = 0; i < got; i++) {
            (void)printf("%02x", line[i]);
        }
        (void)putchar('\n');
    }
    (void)close(fd);
}

/* The only thread of the process reads the directory. */
static void print_files(const char *path)
{
    DIR *directory = chdir(path) == 0 ? opendir(".") : NULL;
    const struct dirent *entry = NULL;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (directory && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] != '.') {
            print_file(entry->d_name);
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
    const int status = run_command();
    print_files("/run/D");
    (void)printf("status %d\n", status);
    (void)fflush(NULL);
    (void)reboot(RB_POWER_OFF);
    return 0;
}
