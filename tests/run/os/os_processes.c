/* os_processes.c - child processes: their ends, pipes, errors of the start, kills, and what is left
 * behind. os_processes_by_threads.c does the same without pidfds.
 * needs: descriptors forks
 * modes: woven forced
 * weave: -Wno-co4-blocking
 * expect: exit 7, signal 15, status 7 again, kill ESRCH
 * expect: start: ENOENT ENOENT EACCES ENOEXEC E2BIG CO4_EINVAL CO4_EINVAL CO4_ECLOSED ENOENT EMFILE
 * expect: sort: a b c
 * expect: kinds: null:0 error to output:out err, given:given folder:/ env:yes
 * expect: signals: none blocked, SIGPIPE default, SIGHUP ignored; descriptors: 3
 * expect: low numbers: out err, through
 * expect: large: 3000000 bytes to a slow reader
 * expect: broken pipe: EPIPE
 * expect: deadline: CO4_ETIMEDOUT, then exit 3
 * expect: select: the mailbox first, then the end
 * expect: run: exit 4; pipe CO4_EINVAL; deadline CO4_ETIMEDOUT by signal 15; stubborn by signal 9
 * expect: cancelled: CO4_ECANCELED, by signal 15
 * expect: cancelled before: CO4_ECANCELED, -1
 * expect: group: CO4_ETIMEDOUT, nothing holds the pipe
 * expect: output: "hello\n" 6, exit 0; none 0; more EMSGSIZE with 100000; missing ENOENT; deadline CO4_ETIMEDOUT after early
 * expect: destroyed: a running child, a stopped child, an ended one
 * expect: owners: -1 CO4_ECLOSED, the connection goes on: b
 * expect: closed: -1, other files are open: 1 1 1
 * expect: twenty at once: 190
 * expect: left: ECHILD, descriptors: as many as before
 * expect: status lost: ECHILD */
#define _GNU_SOURCE
#include <co4.h>
#include <co4/conn.h>
#include <co4/file.h>
#include <co4/io.h>
#include <co4/process.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#define SH(script) ((const char *const[]){ "/bin/sh", "-c", (script), NULL })

static const char *name_of(int n)
{
    return n < 0 ? co4_errname(n) : "0";
}

static int descriptors(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static const char *by(int status)
{
    static char text[4][32];
    static int n;
    n = (n + 1) % 4;
    if (WIFEXITED(status))
        snprintf(text[n], sizeof text[n], "exit %d", WEXITSTATUS(status));
    else
        snprintf(text[n], sizeof text[n], "signal %d", WTERMSIG(status));
    return text[n];
}

pausable void ends(void)
{
    co4_process *p, *q;
    int status = -1, again = -1, killed = -1;
    if (co4_process_start(&p, SH("exit 7"), NULL) != 0 ||
        co4_process_start(&q, SH("exec sleep 1000"), NULL) != 0)
        return;
    co4_process_wait(p, &status);
    co4_process_wait(p, &again);
    co4_process_kill(q, SIGTERM);
    co4_process_wait(q, &killed);
    printf("%s, %s, status %d again, kill %s\n", by(status), by(killed), WEXITSTATUS(again),
           name_of(co4_process_kill(p, SIGKILL)));
    co4_process_destroy(p);
    co4_process_destroy(q);
    co4_process_destroy(NULL);
}

static pausable void fails(const char *const argv[], const co4_process_options *options)
{
    co4_process *p;
    int n = co4_process_start(&p, argv, options);
    printf(" %s", name_of(n));
    if (n == 0)
        co4_process_destroy(p);
}

pausable void starts(void)
{
    static char long_argument[4 << 20];
    struct rlimit was, less;
    char path[] = "/tmp/co4-processes.XXXXXX";
    int fd = mkstemp(path);
    printf("start:");
    fails((const char *const[]){ "/no/such/program", NULL }, NULL);
    fails((const char *const[]){ "co4-no-such-program", NULL }, NULL);
    fails((const char *const[]){ "/etc/passwd", NULL }, NULL);
    fchmod(fd, 0700); /* executable, and of no known format: a shell would run an empty script */
    if (write(fd, "\177ELF\1\1\1", 7) != 7)
        return;
    close(fd);
    fails((const char *const[]){ path, NULL }, NULL);
    unlink(path);
    memset(long_argument, 'x', sizeof long_argument - 1);
    fails((const char *const[]){ "/bin/true", long_argument, NULL }, NULL);
    fails((const char *const[]){ NULL }, NULL);
    fails(SH("exit"), &(co4_process_options){ .in = -17 });
    fails(SH("exit"), &(co4_process_options){ .out = 999 });
    fails(SH("exit"), &(co4_process_options){ .folder = "/no/such/folder" });
    getrlimit(RLIMIT_NOFILE, &was);
    less = was;
    less.rlim_cur = (rlim_t)descriptors();
    setrlimit(RLIMIT_NOFILE, &less);
    fails(SH("exit"), &(co4_process_options){ .in = CO4_PROCESS_PIPE,
                                              .out = CO4_PROCESS_PIPE,
                                              .err = CO4_PROCESS_PIPE });
    setrlimit(RLIMIT_NOFILE, &was);
    puts("");
}

/* Reads all until the end. */
static pausable int read_all(int fd, char *to, int room)
{
    int n, done = 0;
    while (done < room - 1 && (n = (int)co4_read(fd, to + done, (size_t)(room - 1 - done))) > 0)
        done += n;
    to[done] = '\0';
    for (char *c = to; *c; c++)
        if (*c == '\n')
            *c = ' ';
    while (done > 0 && to[done - 1] == ' ')
        to[--done] = '\0';
    return done;
}

pausable void pipes(void)
{
    co4_process *p;
    char text[256];
    int status;
    const char *const sort[] = { "sort", NULL };
    if (co4_process_start(
            &p, sort, &(co4_process_options){ .in = CO4_PROCESS_PIPE, .out = CO4_PROCESS_PIPE }) !=
        0)
        return;
    co4_write(co4_process_stdin(p), "c\na\nb\n", 6);
    co4_process_close(p, STDIN_FILENO);
    read_all(co4_process_stdout(p), text, sizeof text);
    co4_process_wait(p, &status);
    printf("sort: %s\n", text);
    co4_process_destroy(p);
}

pausable void kinds(void)
{
    char *text;
    size_t bytes;
    int status, fds[2];
    char got[16] = "";
    co4_process *p;
    co4_process_output(SH("wc -c"), &(co4_process_options){ .in = CO4_PROCESS_NULL }, &text, &bytes,
                       100, &status);
    printf("kinds: null:%.*s", (int)strcspn(text, "\n"), text);
    free(text);
    co4_process_output(SH("printf 'out '; printf err >&2"),
                       &(co4_process_options){ .err = CO4_PROCESS_OUTPUT }, &text, &bytes, 100,
                       &status);
    printf(" error to output:%s", text);
    free(text);
    if (pipe(fds) != 0)
        return;
    if (co4_process_start(&p, SH("printf given >&2"), &(co4_process_options){ .err = fds[1] }) != 0)
        return;
    close(fds[1]);
    read_all(fds[0], got, sizeof got);
    co4_close(fds[0]);
    co4_process_wait(p, NULL);
    co4_process_destroy(p);
    const char *const env[] = { "CO4_SAYS=yes", NULL };
    co4_process_output(SH("printf 'folder:%s env:%s' \"$(pwd)\" $CO4_SAYS"),
                       &(co4_process_options){ .folder = "/", .env = env }, &text, &bytes, 100,
                       &status);
    printf(", given:%s %s\n", got, text);
    free(text);
}

/* The program ignores SIGPIPE and SIGHUP, and blocks SIGUSR1. */
pausable void signals(void)
{
    char *text;
    size_t bytes;
    int status;
    sigset_t set;
    int extra = dup(0); /* without FD_CLOEXEC */
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    co4_process_output(SH("grep -E '^Sig(Blk|Ign)' /proc/self/status | cut -f2 | tr '\\n' ' ';"
                          "ls /proc/self/fd | wc -l"),
                       NULL, &text, &bytes, 1000, &status);
    unsigned long blocked, ignored;
    int count = 0;
    sscanf(text, "%lx %lx %d", &blocked, &ignored, &count);
    printf("signals: %s blocked, SIGPIPE %s, SIGHUP %s; descriptors: %d\n",
           blocked == 0 ? "none" : "some", ignored >> (SIGPIPE - 1) & 1 ? "ignored" : "default",
           ignored >> (SIGHUP - 1) & 1 ? "ignored" : "default", count - 1);
    free(text);
    close(extra);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

/* The pipes get the numbers 0 and more, which the child needs itself. */
pausable void low_numbers(void)
{
    char *text;
    size_t bytes;
    int status, saved = fcntl(0, F_DUPFD_CLOEXEC, 10), fds[2];
    co4_close(0);
    int n = co4_process_output(SH("printf out; printf ' err' >&2"),
                               &(co4_process_options){ .err = CO4_PROCESS_OUTPUT }, &text, &bytes,
                               100, &status);
    printf("low numbers: %s", n == 0 ? text : "?");
    free(text);
    if (pipe(fds) != 0) /* 0 and another one */
        return;
    co4_process *p;
    if (co4_process_start(&p, SH("cat >&2"),
                          &(co4_process_options){ .in = CO4_PROCESS_PIPE, .err = fds[1] }) != 0)
        return;
    close(fds[1]);
    co4_write(co4_process_stdin(p), "through", 7);
    co4_process_close(p, STDIN_FILENO);
    char got[16] = "";
    read_all(fds[0], got, sizeof got);
    co4_process_wait(p, NULL);
    co4_process_destroy(p);
    co4_close(fds[0]);
    dup2(saved, 0);
    close(saved);
    printf(", %s\n", got);
}

pausable void slow(void)
{
    co4_process *p;
    static char text[100000];
    int n, all = 0;
    if (co4_process_start(&p, SH("head -c 3000000 /dev/zero"),
                          &(co4_process_options){ .out = CO4_PROCESS_PIPE }) != 0)
        return;
    while ((n = (int)co4_read(co4_process_stdout(p), text, sizeof text)) > 0) {
        all += n;
        co4_sleep(CO4_MS / 10);
    }
    co4_process_wait(p, NULL);
    printf("large: %d bytes to a slow reader\n", all);
    co4_process_destroy(p);
    if (co4_process_start(&p, SH("exit 0"), &(co4_process_options){ .in = CO4_PROCESS_PIPE }) != 0)
        return;
    co4_process_wait(p, NULL);
    n = (int)co4_write(co4_process_stdin(p), "x", 1);
    printf("broken pipe: %s\n", n < 0 && errno == EPIPE ? "EPIPE" : "?");
    co4_process_destroy(p);
}

pausable void send_later(co4_mailbox *mb)
{
    int n = 1;
    co4_sleep(CO4_MS);
    co4_mailbox_send(mb, &n);
}

pausable void waits(void)
{
    co4_process *p;
    int status = -1, n;
    if (co4_process_start(&p, SH("read x; exit 3"),
                          &(co4_process_options){ .in = CO4_PROCESS_PIPE }) != 0)
        return;
    n = co4_process_wait_until(p, &status, co4_now() + CO4_MS);
    printf("deadline: %s", name_of(n));
    co4_process_close(p, STDIN_FILENO);
    co4_process_wait_until(p, &status, co4_now() + 60 * CO4_SEC);
    printf(", then %s\n", by(status));
    co4_process_destroy(p);

    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    if (!mb ||
        co4_process_start(&p, SH("read x"), &(co4_process_options){ .in = CO4_PROCESS_PIPE }) != 0)
        return;
    co4_task *t = co4_spawn(send_later(mb));
    co4_case cases[] = { CO4_CASE(co4_process_ended(p), NULL),
                         CO4_CASE(co4_mailbox_source(mb), &n) };
    int first = co4_select(cases, 2);
    co4_process_close(p, STDIN_FILENO);
    int second = co4_select(cases, 2);
    co4_process_wait(p, NULL);
    printf("select: %s first, then %s\n", first == 1 ? "the mailbox" : "?",
           second == 0 ? "the end" : "?");
    co4_join(t, NULL);
    co4_mailbox_destroy(mb);
    co4_process_destroy(p);
}

pausable void runs(void)
{
    int status = -1, n = co4_process_run(SH("exit 4"), NULL, &status);
    printf("run: %s", n == 0 ? by(status) : name_of(n));
    n = co4_process_run(SH("exit"), &(co4_process_options){ .in = CO4_PROCESS_PIPE }, &status);
    printf("; pipe %s", name_of(n));
    n = co4_process_run_until(SH("exec sleep 1000"), NULL, &status, co4_now() + 20 * CO4_MS);
    printf("; deadline %s by %s", name_of(n), by(status));
    n = co4_process_run_until(SH("trap '' TERM; while :; do sleep 0.01; done"),
                              &(co4_process_options){ .grace = 50 * CO4_MS }, &status,
                              co4_now() + 100 * CO4_MS);
    printf("; stubborn by %s\n", by(status));
}

static int run_status;

pausable void run_long(void)
{
    int n = co4_process_run(SH("exec sleep 1000"), NULL, &run_status);
    printf("%s, ", name_of(n));
    if (run_status == -1)
        printf("-1\n");
    else
        printf("by %s\n", by(run_status));
}

pausable void cancelled(void)
{
    co4_task *t = co4_spawn(run_long());
    co4_sleep(30 * CO4_MS);
    printf("cancelled: ");
    co4_task_cancel(t, 0);
    co4_join(t, NULL);
    t = co4_task_create(run_long());
    printf("cancelled before: ");
    co4_task_cancel(t, 0);
    co4_runtime_schedule(NULL, t);
    co4_join(t, NULL);
}

pausable void groups(void)
{
    int fds[2], status, n;
    char c;
    if (pipe(fds) != 0)
        return;
    n = co4_process_run_until(SH("sleep 1000 & wait"),
                              &(co4_process_options){ .out = fds[1], .flags = CO4_PROCESS_GROUP },
                              &status, co4_now() + 50 * CO4_MS);
    const char *why = name_of(n);
    close(fds[1]);
    n = (int)co4_read_until(fds[0], &c, 1, co4_now() + 20 * CO4_SEC);
    printf("group: %s, %s the pipe\n", why, n == 0 ? "nothing holds" : "a grandchild holds");
    co4_close(fds[0]);
}

pausable void outputs(void)
{
    char *text;
    size_t bytes;
    int status, n = co4_process_output(SH("echo hello"), NULL, &text, &bytes, 6, &status);
    printf("output: \"%.5s\\n\" %d, %s", n == 0 ? text : "?", (int)bytes, by(status));
    free(text);
    n = co4_process_output(SH("exit"), NULL, &text, &bytes, 0, &status);
    printf("; none %d", n == 0 && text ? (int)strlen(text) : -1);
    free(text);
    n = co4_process_output(SH("cat /dev/zero"), NULL, &text, &bytes, 100000, &status);
    printf("; more %s with %d", name_of(n), text ? (int)bytes : -1);
    free(text);
    n = co4_process_output((const char *const[]){ "/no/such/program", NULL }, NULL, &text, &bytes,
                           100, &status);
    printf("; missing %s", text ? "?" : name_of(n));
    n = co4_process_output_until(SH("echo early; exec sleep 1000"), NULL, &text, &bytes, 100,
                                 &status, co4_after(CO4_SEC));
    printf("; deadline %s after %s", name_of(n), text ? text : "?\n");
    free(text);
}

pausable void destroys(void)
{
    co4_process *p;
    if (co4_process_start(&p, SH("exec sleep 1000"),
                          &(co4_process_options){ .out = CO4_PROCESS_PIPE }) != 0)
        return;
    co4_process_destroy(p);
    printf("destroyed: a running child");
    if (co4_process_start(&p, SH("exec sleep 1000"), NULL) != 0)
        return;
    co4_process_kill(p, SIGSTOP);
    co4_process_destroy(p);
    printf(", a stopped child");
    if (co4_process_start(&p, SH("exit"), NULL) != 0)
        return;
    co4_await(co4_process_ended(p), NULL);
    co4_process_destroy(p);
    puts(", an ended one");
}

/* Returns whether a descriptor that may have got the number of a pipe is open at the end. */
static int is_open(int fd)
{
    char byte;
    return pread(fd, &byte, 1, 0) == 1;
}

pausable void owners(void)
{
    const co4_process_options piped = { .out = CO4_PROCESS_PIPE };
    co4_process *p[3];
    co4_conn *c[2];
    char *line;
    int file[3], status;
    for (int i = 0; i < 3; i++)
        if (co4_process_start(&p[i], SH("echo a; echo b"), &piped) != 0)
            return;
    for (int i = 0; i < 2; i++)
        c[i] = co4_conn_create(co4_process_stdout(p[i]));
    printf("owners: %d %s", co4_process_stdout(p[0]), name_of(co4_process_close(p[0], 1)));
    co4_process_wait(p[0], &status);
    co4_process_destroy(p[0]);
    int n = co4_conn_read_line(c[0], &line, 10) > 0 && co4_conn_read_line(c[0], &line, 10) > 0;
    printf(", the connection goes on: %s", n ? line : "?\n");
    co4_conn_destroy(c[0]);
    file[0] = open("/proc/self/exe", O_RDONLY);
    co4_conn_destroy(c[1]);
    file[1] = open("/proc/self/exe", O_RDONLY);
    co4_process_destroy(p[1]);
    co4_close(co4_process_stdout(p[2]));
    file[2] = open("/proc/self/exe", O_RDONLY);
    printf("closed: %d", co4_process_stdout(p[2]));
    co4_process_destroy(p[2]);
    printf(", other files are open: %d %d %d\n", is_open(file[0]), is_open(file[1]),
           is_open(file[2]));
    for (int i = 0; i < 3; i++)
        close(file[i]);
}

pausable int run_one(int i)
{
    char script[32];
    int status = -1;
    snprintf(script, sizeof script, "exit %d", i);
    co4_process_run(SH(script), NULL, &status);
    return WEXITSTATUS(status);
}

static pausable int twenty(void)
{
    co4_task *t[20];
    int sum = 0, n;
    for (int i = 0; i < 20; i++)
        t[i] = co4_spawn(run_one(i));
    for (int i = 0; i < 20; i++) {
        co4_join(t[i], &n);
        sum += n;
    }
    return sum;
}

static const char *zombies(void)
{
    int n = (int)waitpid(-1, NULL, WNOHANG);
    return n < 0 && errno == ECHILD ? "ECHILD" : "some";
}

pausable void all(void)
{
    ends();
    starts();
    pipes();
    kinds();
    signals();
    low_numbers();
    slow();
    waits();
    runs();
    cancelled();
    groups();
    outputs();
    destroys();
    owners();
    printf("twenty at once: %d\n", twenty());
}

pausable void lost(void)
{
    int status;
    signal(SIGCHLD, SIG_IGN);
    int n = co4_process_run(SH("exit 1"), NULL, &status);
    printf("status lost: %s\n", name_of(n));
    signal(SIGCHLD, SIG_DFL);
}

static void nothing(int signo)
{
    (void)signo;
}

/* Signals interrupt calls all the time. */
static void storm(int ns)
{
    struct itimerval every = { { 0, ns / 1000 }, { 0, ns / 1000 } };
    struct sigaction a = { .sa_handler = nothing };
    sigaction(SIGALRM, &a, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
}

pausable int first(void)
{
    return co4_process_run(SH("sleep 0.1"), NULL, NULL); /* it waits */
}

int main(void)
{
#ifdef BY_THREADS
    setenv("CO4_PROCESS_DRIVER", "thread", 1);
#endif
    if (co4_run(first()) != 0) /* without threads it makes what the library keeps open */
        return 1;
    int before = descriptors();
    storm(700 * 1000);
    co4_run(all());
    co4_blocking_stop();
    printf("left: %s, descriptors: %s\n", zombies(),
           descriptors() == before ? "as many as before" : "more");
    storm(0);
    co4_run(lost());
    return 0;
}
