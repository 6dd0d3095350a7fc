/* SPDX-FileCopyrightText: 2026 The laxity authors
 * SPDX-License-Identifier: MIT */
/*
 * Preloaded into a program (LD_PRELOAD), it lets one process of that program run it many times.
 *
 * Half of what clang takes for a short source is the loader: LLVM's shared libraries hold half a
 * million relocations. So the program stops before its main(), loaded, and a copy of it is forked
 * for each run. The copy calls main() with the words of that run; it is the same program, and
 * nothing of one run is seen by the next.
 *
 * A socket, whose number LAXITY_LOADED says, is between it and platform/loaded.py:
 *
 *     to us      4 bytes: length n in bytes; n bytes: texts that each end in a zero byte: directory
 *                ("": ours), file for stdout, file for stderr, then the words from argv[0] on
 *     from us    the version, once; then per run 4 bytes: what waitpid() said, or -errno if
 *                there was no run
 *
 * It ends when the other side is gone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET_VARIABLE "LAXITY_LOADED"

enum {
    /* The kernel takes 2 MiB of words; this only keeps a garbled length from being allocated. */
    MOST_REQUEST_BYTES = 1 << 24,
    OUTPUT_MODE = 0600,
    /* As a shell says that a program could not be run. */
    CODE_NOT_RUN = 127,
};

typedef int program_main(int argc, char **argv, char **envp);
typedef int start_main(
    program_main *main,
    int argc,
    char **argv,
    void (*init)(void),
    void (*fini)(void),
    void (*rtld_fini)(void),
    void *stack_end
);

/* Written before main(): the C library's start hands nothing to what it calls in place of it. */
static struct {
    program_main *main;
    int socket;
} loaded;

/* One run; all point into `text`. */
struct request {
    char *text;
    const char *directory, *out, *err;
    int argc;
    char **argv;
};

static bool receive_all(int peer, void *to, size_t size)
{
    for (char *at = to; size > 0;) {
        const ssize_t got = read(peer, at, size);
        if (got <= 0) {
            if (got < 0 && errno == EINTR) {
                continue;
            }
            return false;
        }
        at += got;
        size -= (size_t)got;
    }
    return true;
}

static bool answer(int peer, int32_t status)
{
    return send(peer, &status, sizeof status, MSG_NOSIGNAL) == (ssize_t)sizeof status;
}

/* Returns the next text and moves behind it; NULL at the end. */
static const char *next_text(char **at, const char *end)
{
    if (*at == end) {
        return NULL;
    }
    const char *const text = *at;
    *at += strlen(text) + 1;
    return text;
}

/* Returns false if the texts are not whole or too few, or there is no memory. */
static bool read_words(struct request *request, uint32_t size)
{
    if (size == 0 || request->text[size - 1] != '\0') {
        return false;
    }
    char *at = request->text;
    const char *const end = request->text + size;
    request->directory = next_text(&at, end);
    request->out = next_text(&at, end);
    request->err = next_text(&at, end);
    size_t n_words = 0;
    for (const char *byte = at; byte < end; byte++) {
        n_words += *byte == '\0';
    }
    if (n_words == 0) {
        return false;
    }
    request->argv = calloc(n_words + 1, sizeof *request->argv);
    if (!request->argv) {
        return false;
    }
    for (size_t i = 0; i < n_words; i++) {
        request->argv[i] = at;
        at += strlen(at) + 1;
    }
    request->argc = (int)n_words;
    return true;
}

static void release(struct request *request)
{
    free(request->argv);
    free(request->text);
}

/* Returns 1 with a request, 0 if the other side is gone, -EINVAL if what it sent is none. */
static int receive(int peer, struct request *out_request)
{
    uint32_t size = 0;
    if (!receive_all(peer, &size, sizeof size) || size > MOST_REQUEST_BYTES) {
        return 0;
    }
    struct request request = {.text = malloc(size ? size : 1)};
    if (!request.text || !receive_all(peer, request.text, size)) {
        release(&request);
        return 0;
    }
    if (!read_words(&request, size)) {
        release(&request);
        return -EINVAL;
    }
    *out_request = request;
    return 1;
}

static bool redirect(const char *path, int fd)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, OUTPUT_MODE);
    if (file < 0) {
        return false;
    }
    const bool is_done = dup2(file, fd) == fd;
    close(file);
    return is_done;
}

/* In the copy. Who waits for it may be killed: then nobody wants its result. */
static bool become(const struct request *request, pid_t parent, int peer)
{
    close(peer);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        return false;
    }
    const bool is_placed = !*request->directory || chdir(request->directory) == 0;
    return redirect(request->out, STDOUT_FILENO) && redirect(request->err, STDERR_FILENO) &&
           is_placed;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -errno;
        }
    }
    return status;
}

/* Returns what waitpid() says of a copy, -errno if there was none. */
static int run(const struct request *request, int peer)
{
    const pid_t self = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        if (!become(request, self, peer)) {
            _exit(CODE_NOT_RUN);
        }
        /* NOLINTNEXTLINE(concurrency-mt-unsafe): as the C library does with what main() returns */
        exit(loaded.main(request->argc, request->argv, environ));
    }
    return pid < 0 ? -errno : wait_for(pid);
}

static bool serve_next(int peer)
{
    struct request request;
    const int got = receive(peer, &request);
    if (got <= 0) {
        return got < 0 && answer(peer, got);
    }
    const int status = run(&request, peer);
    release(&request);
    return answer(peer, status);
}

/* In place of main(), in the process that stays. Who asked sees it end, if it does. */
static int serve(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    (void)envp;
    /* What the program starts is not to wait for requests. */
    unsetenv("LD_PRELOAD");    /* NOLINT(concurrency-mt-unsafe): one thread */
    unsetenv(SOCKET_VARIABLE); /* NOLINT(concurrency-mt-unsafe): one thread */
    const int peer = loaded.socket;
    if (send(peer, LAXITY_VERSION, sizeof LAXITY_VERSION, MSG_NOSIGNAL) > 0) {
        while (serve_next(peer)) {
        }
    }
    _exit(0);
}

/* Under the C library's own name: the start of every program calls it, and finds this one first. */
start_main start_loaded __asm__("__libc_start_main");

/* The C library chose the parameters. NOLINTNEXTLINE(readability-function-size) */
int start_loaded(
    program_main *main,
    int argc,
    char **argv,
    void (*init)(void),
    void (*fini)(void),
    void (*rtld_fini)(void),
    void *stack_end
)
{
    start_main *start = NULL;
    /* As POSIX has it: a pointer to an object becomes one to a function. */
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    const char *const number =
        getenv(SOCKET_VARIABLE); /* NOLINT(concurrency-mt-unsafe): one thread */
    if (number) {
        loaded.main = main;
        loaded.socket = (int)strtol(number, NULL, 10);
        main = serve;
    }
    return start(main, argc, argv, init, fini, rtld_fini, stack_end);
}
