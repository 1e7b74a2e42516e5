/* pollloop - a loop with poll() drives the tasks; one thread writes a pipe, another sends messages.
 * needs: threads
 * modes: woven forced
 * expect: 4 lines, sum 55, 3 ticks */
#include <co4.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

typedef CO4_MAILBOX_OF(char) byte_mailbox;
typedef CO4_MAILBOX_OF(int) int_mailbox;
#include <time.h>
#include <unistd.h>

struct state {
    byte_mailbox bytes;
    int_mailbox numbers;
    int pipe[2];
    int lines, sum, ticks;
};

static pausable int read_lines(struct state *s)
{
    char c;
    while (co4_typed_receive(s->bytes, &c) == CO4_OK)
        s->lines += c == '\n';
    return CO4_OK;
}

static pausable int add(struct state *s)
{
    int n;
    while (co4_typed_receive(s->numbers, &n) == CO4_OK)
        s->sum += n;
    return CO4_OK;
}

static pausable int tick(struct state *s)
{
    for (int i = 0; i < 3; i++) {
        int err = co4_sleep(5 * CO4_MS);
        if (err != CO4_OK)
            return err;
        s->ticks++;
    }
    return CO4_OK;
}

static void *writer(void *arg)
{
    struct state *s = arg;
    for (int i = 0; i < 4; i++) {
        nanosleep(&(struct timespec){ 0, 3000000 }, NULL);
        if (write(s->pipe[1], "a line\n", 7) != 7)
            break;
    }
    close(s->pipe[1]);
    return NULL;
}

static void *sender(void *arg)
{
    struct state *s = arg;
    for (int i = 1; i <= 10; i++)
        co4_block(co4_typed_send(s->numbers, &i));
    co4_typed_close(s->numbers);
    return NULL;
}

static int timeout_ms(int64_t deadline)
{
    if (deadline == CO4_NEVER)
        return -1;
    int64_t ns = deadline - co4_now();
    return ns <= 0 ? 0 : (int)((ns + CO4_MS - 1) / CO4_MS);
}

/* The host's loop: tasks run in co4_runtime_run_once() alone. */
static int run(co4_runtime *rt, struct state *s)
{
    int wake = co4_runtime_wake_fd(rt);
    if (wake < 0)
        return wake;
    struct pollfd fds[2] = { { .fd = wake, .events = POLLIN },
                             { .fd = s->pipe[0], .events = POLLIN } };
    while (co4_runtime_run_once(rt), co4_runtime_tasks(rt) > 0) {
        if (poll(fds, 2, timeout_ms(co4_runtime_next_deadline(rt))) < 0 && errno != EINTR)
            return CO4_EAGAIN;
        if (fds[1].revents == 0)
            continue;
        char buf[64];
        ssize_t n = read(fds[1].fd, buf, sizeof buf);
        for (ssize_t i = 0; i < n; i++)
            if (co4_typed_send_until(s->bytes, &buf[i], CO4_NOW) != CO4_OK)
                puts("lost a byte");
        if (n <= 0) {
            fds[1].fd = -1;
            co4_typed_close(s->bytes);
        }
    }
    return CO4_OK;
}

int main(void)
{
    struct state s = { .bytes = co4_typed_create(byte_mailbox, CO4_UNBOUNDED),
                       .numbers = co4_typed_create(int_mailbox, 2) };
    pthread_t threads[2];
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED });
    if (!s.bytes.mailbox || !s.numbers.mailbox || !rt || pipe(s.pipe) != 0 ||
        co4_runtime_start(rt) != CO4_OK)
        return 1;
    if (!co4_runtime_spawn(rt, read_lines(&s)) || !co4_runtime_spawn(rt, add(&s)) ||
        !co4_runtime_spawn(rt, tick(&s)))
        return 1;
    if (pthread_create(&threads[0], NULL, writer, &s) != 0 ||
        pthread_create(&threads[1], NULL, sender, &s) != 0)
        return 1;
    int err = run(rt, &s);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d lines, sum %d, %d ticks\n", s.lines, s.sum, s.ticks);
    close(s.pipe[0]);
    co4_typed_destroy(s.bytes);
    co4_typed_destroy(s.numbers);
    return co4_runtime_destroy(rt) != CO4_OK || err != CO4_OK;
}
