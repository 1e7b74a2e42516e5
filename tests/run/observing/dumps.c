/* dumps.c - what a dump says of tasks in every kind of wait; in test mode, for the sake of times.
 * modes: woven
 * expect: co4_run N: 10 tasks
 * expect:   task 1 @ co4_run: running for 0ns
 * expect:   task 2 @ 'reader' outer: paused for 3ms, receives from mailbox @
 * expect:     #0  inner () at dumps.c:93 in co4_mailbox_receive()
 * expect:     #1  outer () at dumps.c:98 in inner()
 * expect:   task 3 @ writer: paused for 3ms, sends to mailbox @, for 5s
 * expect:     #0  writer () at dumps.c:104 in co4_mailbox_send_until()
 * expect:   task 4 @ sleeper: paused for 3ms, cancelled, sleeps, for 1.4s
 * expect:     #0  sleeper () at dumps.c:110 in co4_sleep()
 * expect:   task 5 @ joiner: paused for 3ms, joins task @
 * expect:     #0  joiner () at dumps.c:116 in co4_task_join()
 * expect:   task 6 @ chooser: paused for 3ms, selects among mailbox @ source @, for 3599.9s
 * expect:     #0  co4_select_until () at select.c in co4__park()
 * expect:     #1  chooser () at dumps.c:124 in co4_select_until()
 * expect:   task 7 @ locker: paused for 3ms, locks mutex @
 * expect:     #0  locker () at dumps.c:129 in co4_mutex_lock()
 * expect:   task 8 @ co4_scope_run: paused for 3ms, waits for its scope's tasks
 * expect:     #0  co4_scope_run () at scope.c in co4__scope_wait()
 * expect:   task 9 @ child: paused for 3ms, sleeps, for 997ms
 * expect:     #0  child () at dumps.c:140 in co4_sleep()
 * expect:   task 10 @ busy: ready for 0ns
 * expect: co4_run N: 1 task
 * expect:   task 1 @ co4_run: running for 0ns
 * expect: runtime N: 1 task, workers without a thread: 2
 * expect:   task 11 @ wait_for: ready for 0ns
 * expect: runtime N: 1 task, workers without a thread: 2
 * expect:   task 11 @ wait_for: paused for 1ms, receives from mailbox @
 * expect:     #0  wait_for () at dumps.c:185 in co4_mailbox_receive()
 * expect: refused: CO4_ECLOSED, without a sink: CO4_EINVAL */
#include <co4.h>
#include <co4/test.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static char text[20000];
static size_t length;

static int keep(void *data, const char *piece, size_t n)
{
    (void)data;
    if (length + n < sizeof text)
        memcpy(text + length, piece, n);
    length += n;
    return CO4_OK;
}

static int refuse(void *data, const char *piece, size_t n)
{
    (void)data, (void)piece, (void)n;
    return CO4_ECLOSED;
}

/* Without addresses, numbers of runtimes and folders. */
static void show(void)
{
    for (char *p = text; p < text + length; p++)
        if (strncmp(p, "0x", 2) == 0) {
            p += strspn(p, "0x123456789abcdef") - 1;
            putchar('@');
        } else if (strncmp(p, "co4_run ", 8) == 0 || strncmp(p, "runtime ", 8) == 0) {
            printf("%.8sN", p);
            p += 7 + strspn(p + 8, "0123456789");
        } else if (strncmp(p, " () at ", 7) == 0) {
            char *end = p + strcspn(p, ":"), *file = end;
            while (file[-1] != '/' && file[-1] != ' ')
                file--;
            printf(" () at %.*s", (int)(end - file), file);
            p = end - 1;
            if (strncmp(file, "dumps.c", 7) != 0) /* lines of the library are its own affair */
                p += 1 + strspn(end + 1, "0123456789");
        } else {
            putchar(*p);
        }
    length = 0;
}

static co4_mailbox *full, *empty;
static co4_mutex lock = CO4_MUTEX_INIT;

static pausable int inner(co4_mailbox *mb)
{
    int n = 7;
    return co4_mailbox_receive(mb, &n) == CO4_OK ? n : 0;
}

static pausable int outer(co4_mailbox *mb)
{
    return inner(mb) + 1;
}

static pausable void writer(void)
{
    int n = 1;
    co4_mailbox_send_until(full, &n, co4_now() + 5 * CO4_SEC + 3 * CO4_MS);
}

static pausable void sleeper(void)
{
    co4_shield_begin();
    co4_sleep(1403 * CO4_MS);
    co4_shield_end();
}

static pausable void joiner(co4_task *task)
{
    co4_task_join(task);
}

static pausable void chooser(co4_future *f)
{
    int n;
    co4_case cases[] = { CO4_CASE(co4_mailbox_source(empty), &n),
                         CO4_CASE(co4_future_source(f), NULL) };
    co4_select_until(cases, 2, 0, co4_now() + 3600 * CO4_SEC);
}

static pausable void locker(void)
{
    must(co4_mutex_lock(&lock));
}

static pausable void busy(void)
{
    for (int i = 0; i < 20; i++)
        co4_yield();
}

static pausable int child(void)
{
    return co4_sleep(CO4_SEC);
}

static pausable int body(void)
{
    co4_scope_spawn(co4_scope_here(), child());
    return CO4_OK;
}

static pausable void observe(co4_future *f)
{
    int n = 0;
    full = co4_mailbox_create(sizeof n, 1);
    empty = co4_mailbox_create(sizeof n, 1);
    must(co4_mailbox_send_until(full, &n, CO4_NOW));
    must(co4_mutex_lock(&lock));
    co4_task *reader = co4_spawn(outer(empty));
    co4_task_set_name(reader, "reader");
    co4_task_release(reader);
    co4_spawn(writer());
    co4_task *t = co4_spawn(sleeper());
    co4_spawn(joiner(t));
    co4_spawn(chooser(f));
    co4_spawn(locker());
    co4_spawn(co4_scope_run(0, body()));
    co4_sleep(3 * CO4_MS);
    co4_task_cancel(t, 0);
    co4_task_release(t);
    co4_spawn(busy());
    co4_dump(NULL, keep, NULL);
    show();

    co4_mutex_unlock(&lock);
    co4_mailbox_close(full);
    co4_mailbox_close(empty);
    co4_sleep(2 * CO4_SEC);
    co4_dump(NULL, keep, NULL);
    show();
    co4_mailbox_destroy(full);
    co4_mailbox_destroy(empty);
}

static pausable void wait_for(co4_mailbox *mb)
{
    int n;
    co4_mailbox_receive(mb, &n);
}

static void of_a_runtime(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_spawn(rt, wait_for(mb));
    co4_dump(rt, keep, NULL);
    co4_runtime_start(rt);
    co4_block(co4_mailbox_receive_until(mb, &(int){ 0 }, co4_now() + CO4_MS));
    co4_dump(rt, keep, NULL);
    show();
    co4_mailbox_close(mb);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(mb);
}

int main(void)
{
    long long pool = co4_test_pool_live(), alloc = co4_test_alloc_live();
    co4_future *f = co4_future_create(0);
    co4_test_begin(&(co4_test_options){ .start = CO4_SEC });
    co4_watch(1);
    co4_run(observe(f));
    of_a_runtime();
    co4_runtime *rt = co4_runtime_create(NULL);
    printf("refused: %s", co4_errname(co4_dump(rt, refuse, NULL)));
    printf(", without a sink: %s\n", co4_errname(co4_dump(NULL, NULL, NULL)));
    co4_runtime_destroy(rt);
    co4_watch(0);
    co4_test_end(NULL);
    co4_future_release(f);
    if (co4_test_pool_live() != pool || co4_test_alloc_live() != alloc)
        puts("wrong: something is left");
    return 0;
}
