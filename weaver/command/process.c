/* process.c - runs other programs.
 *
 * If a signal asks co4weave to end while a compiler runs, it is passed on to the compiler. Once the
 * compiler has ended, the calls return as usual, so that temporary files are removed. Then co4weave
 * dies of the same signal. The second such signal kills at once. */
#include "command/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/complain.h"
#include "command/files.h"

extern char **environ;

/* ---- signals -------------------------------------------------------------------------------- */

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { NENDING = sizeof ending_signals / sizeof ending_signals[0] };

/* A signal handler receives its data through static storage only. */
static volatile sig_atomic_t running_child; /* its process id; 0: none */

static void pass_signal_on(int number)
{
    if (running_child > 0)
        kill((pid_t)running_child, number);
}

/* Ignored signals (nohup) stay ignored. */
static void catch_signals(struct sigaction before[NENDING])
{
    struct sigaction action = { .sa_handler = pass_signal_on, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < NENDING; i++) {
        sigaction(ending_signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(ending_signals[i], &action, NULL);
    }
}

/* Restores the handlers. Returns the signal that arrived in between, or 0. */
static int release_signals(const struct sigaction before[NENDING])
{
    int came = 0;
    for (int i = 0; i < NENDING; i++) {
        struct sigaction now;
        sigaction(ending_signals[i], NULL, &now);
        if (before[i].sa_handler != SIG_IGN && now.sa_handler != pass_signal_on)
            came = ending_signals[i]; /* SA_RESETHAND has removed our handler */
        sigaction(ending_signals[i], &before[i], NULL);
    }
    return came;
}

/* ---- what a process inherits ---------------------------------------------------------------- */

bool cw_process_begin(void)
{
    /* as in gcc: else the system forgets how a child has ended */
    signal(SIGCHLD, SIG_DFL);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        /* the wrong way, so that a use fails as before */
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            cw_complain("cannot open /dev/null: %s", strerror(errno));
            return false;
        }
    }
    return true;
}

/* ---- starting and waiting ------------------------------------------------------------------- */

enum { MOST_KEPT = 8 };
static int kept[MOST_KEPT]; /* the descriptors */
static size_t nkept;

static void rewind_kept(void)
{
    for (size_t i = 0; i < nkept; i++)
        lseek(kept[i], 0, SEEK_SET);
}

bool cw_keep_descriptor(int fd)
{
    for (size_t i = 0; i < nkept; i++)
        if (kept[i] == fd)
            return true;
    if (nkept == MOST_KEPT)
        return true; /* it can be read once */
    cw_buf text = { 0 };
    FILE *copy = tmpfile();
    bool ok = copy != NULL && cw_read_all(fd, &text) &&
              fwrite(text.data, 1, text.length, copy) == text.length && fflush(copy) == 0 &&
              dup2(fileno(copy), fd) >= 0 && lseek(fd, 0, SEEK_SET) == 0;
    cw_buf_free(&text);
    if (ok)
        kept[nkept++] = fd;
    else if (fd == STDIN_FILENO)
        cw_complain("cannot read the standard input: %s", strerror(errno));
    else
        cw_complain("cannot read descriptor %d: %s", fd, strerror(errno));
    if (copy != NULL)
        fclose(copy);
    return ok;
}

/* Compilers, linkers and ar take words from a file, if there are too many for the system. The first
 * two words stay: the second may be the compiler that a launcher runs. */
enum { FIRST_WORDS = 2 };
static cw_temp response; /* of the program that runs */

/* Writes the words, one a line. What has a meaning in such a file has a backslash before it. */
static const char *write_response(char *const argv[])
{
    cw_buf text = { 0 };
    for (; *argv != NULL; argv++) {
        if (**argv == '\0')
            cw_puts(&text, "\"\"");
        for (const char *c = *argv; *c != '\0'; c++) {
            if (strchr(" \t\n\r\v\f\\'\"", *c) != NULL)
                cw_puts(&text, "\\");
            cw_put(&text, c, 1);
        }
        cw_puts(&text, "\n");
    }
    const char *path = cw_temp_file(&response, "words", text.data, text.length);
    cw_buf_free(&text);
    return path;
}

static int process_spawn(pid_t *child, char *const argv[],
                         const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes)
{
    int error = posix_spawnp(child, argv[0], actions, attributes, argv, environ);
    size_t count = 0;
    while (count < FIRST_WORDS && argv[count] != NULL)
        count++;
    const char *words = error == E2BIG && argv[count] != NULL ? write_response(argv + count) : NULL;
    if (words == NULL)
        return error;
    cw_buf file = { 0 };
    cw_printf(&file, "@%s", words);
    char *few[FIRST_WORDS + 2] = { argv[0], argv[1], file.data, NULL };
    error = posix_spawnp(child, few[0], actions, attributes, few, environ);
    cw_buf_free(&file);
    return error;
}

/* Starts argv with its output and messages at the given descriptors (-1: ours). The caller has
 * blocked the ending signals; the child gets the previous mask. */
static pid_t process_start(char *const argv[], int out, int err, const sigset_t *mask)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child = -1;
    rewind_kept();
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (out >= 0)
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (err >= 0)
        posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int error = process_spawn(&child, argv, &actions, &attributes);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        cw_temp_remove(&response);
        cw_complain("cannot run '%s': %s", argv[0], strerror(error));
        return -1;
    }
    return child;
}

static int process_wait(pid_t child)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    cw_temp_remove(&response);
    if (ended < 0) {
        cw_complain("cannot wait for a program: %s", strerror(errno));
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Reads the streams until both have ended; a descriptor is -1 for one that is not read. */
static void read_streams(int out_fd, cw_buf *out, int err_fd, cw_buf *err)
{
    struct pollfd fds[2] = { { .fd = out_fd, .events = POLLIN },
                             { .fd = err_fd, .events = POLLIN } };
    cw_buf *bufs[2] = { out, err };
    char bytes[16384];
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        for (int i = 0; i < 2; i++) {
            if (fds[i].fd < 0 || fds[i].revents == 0)
                continue;
            ssize_t got = read(fds[i].fd, bytes, sizeof bytes);
            if (got > 0)
                cw_put(bufs[i], bytes, (size_t)got);
            else if (got == 0 || errno != EINTR)
                fds[i].fd = -1;
        }
    }
}

static bool make_pipe(int pair[2])
{
    if (pipe(pair) != 0) {
        cw_complain("cannot make a pipe: %s", strerror(errno));
        return false;
    }
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Starts the program, with the ending signals passed on to it from its first moment. */
static pid_t start_with_signals(char *const argv[], int out, int err)
{
    sigset_t ending, mask;
    sigemptyset(&ending);
    for (int i = 0; i < NENDING; i++)
        sigaddset(&ending, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &ending, &mask);
    pid_t child = process_start(argv, out, err, &mask);
    running_child = child > 0 ? (sig_atomic_t)child : 0;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return child;
}

int cw_run(char *const argv[], cw_buf *out, cw_buf *err)
{
    int out_pair[2] = { -1, -1 }, err_pair[2] = { -1, -1 }, status = -1;
    struct sigaction before[NENDING];
    if ((out == NULL || make_pipe(out_pair)) && (err == NULL || make_pipe(err_pair))) {
        catch_signals(before);
        pid_t child = start_with_signals(argv, out_pair[1], err_pair[1]);
        close_end(&out_pair[1]);
        close_end(&err_pair[1]);
        if (child > 0) {
            read_streams(out_pair[0], out, err_pair[0], err);
            status = process_wait(child);
        }
        running_child = 0;
        int came = release_signals(before);
        status = came != 0 ? 128 + came : status;
    }
    for (int i = 0; i < 2; i++) {
        close_end(&out_pair[i]);
        close_end(&err_pair[i]);
    }
    return status;
}

int cw_run_words(cw_argv *words, cw_buf *out, cw_buf *err)
{
    int status = cw_run(words->items, out, err);
    cw_argv_free(words);
    return status;
}

/* The file that execvp() would run; -1: none. */
static int open_program(const char *name)
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/') != NULL || folders == NULL)
        return open(name, O_RDONLY | O_CLOEXEC);
    for (const char *at = folders, *end; at != NULL; at = *end == ':' ? end + 1 : NULL) {
        cw_buf path = { 0 };
        end = at + strcspn(at, ":");
        cw_printf(&path, "%.*s%s%s", (int)(end - at), at, end > at ? "/" : "./", name);
        int fd = access(path.data, X_OK) == 0 ? open(path.data, O_RDONLY | O_CLOEXEC) : -1;
        cw_buf_free(&path);
        if (fd >= 0)
            return fd;
    }
    return -1;
}

char *cw_program_question(char *const argv[])
{
    struct stat file;
    char magic[4];
    cw_buf question = { 0 };
    int fd = open_program(argv[0]);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &file) == 0 && read(fd, magic, sizeof magic) == (ssize_t)sizeof magic &&
        memcmp(magic, "\177ELF", sizeof magic) == 0) {
        cw_printf(&question, "%llu %llu %lld %lld.%09ld", (unsigned long long)file.st_dev,
                  (unsigned long long)file.st_ino, (long long)file.st_size,
                  (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
        for (; *argv != NULL; argv++)
            cw_printf(&question, "\n%s", *argv);
    }
    close(fd);
    return question.data;
}

int cw_exec(char *const argv[])
{
    rewind_kept();
    execvp(argv[0], argv);
    if (errno == E2BIG) { /* it has been called with a file of words */
        int status = cw_run(argv, NULL, NULL);
        return status < 0 ? CW_EXIT_REFUSED : status;
    }
    cw_complain("cannot run '%s': %s", argv[0], strerror(errno));
    return CW_EXIT_REFUSED;
}
