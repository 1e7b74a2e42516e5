/* dump_slow_reader - while a dump waits for its reader, calls of co4_run begin, pause and end,
 * runtimes come and go, and so do those that it has printed or is about to.
 * needs: threads
 * modes: woven forced
 * expect: runs ended meanwhile: 3
 * expect: the dump went on to the end
 * expect: mailboxes: 1 */
#include <co4.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Here it cannot fail. */
static void must(int code)
{
    if (code != CO4_OK)
        abort();
}

static int ended, reads, told_end, boxes;
static co4_runtime *about_to_go;

static pausable void sleeps(void)
{
    co4_sleep(CO4_MS);
}

static pausable void waits(co4_mailbox *mb)
{
    int n;
    co4_mailbox_receive(mb, &n);
}

static pausable void work(void)
{
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_task *t = co4_task_create(waits(mb));
    co4_runtime_schedule(NULL, t);
    sleeps();
    co4_mailbox_close(mb);
    co4_task_join(t);
    co4_task_release(t);
    co4_mailbox_destroy(mb);
    ended++;
}

static void *run(void *arg)
{
    (void)arg;
    co4_run(work());
    return NULL;
}

/* The reader takes so long that others do all this. */
static int slow(void *data, const char *text, size_t n)
{
    (void)data;
    reads++;
    if (ended < 3) {
        pthread_t t;
        pthread_create(&t, NULL, run, NULL);
        pthread_join(t, NULL);
    }
    if (about_to_go) {
        co4_runtime_destroy(about_to_go);
        about_to_go = NULL;
    }
    for (size_t i = 0; i < n; i++)
        told_end += text[i] == '\n';
    return CO4_OK;
}

static int count_boxes(void *data, const char *text, size_t n)
{
    static int in_write;
    (void)data;
    if (in_write++ == 0) /* what it writes of comes and goes meanwhile */
        for (int i = 0; i < 3; i++)
            co4_mailbox_destroy(co4_mailbox_create(sizeof(int), 1));
    in_write--;
    for (size_t i = 0; i + 8 <= n; i++)
        boxes += memcmp(text + i, "messages", 8) == 0 && i > 0 && text[i - 1] == ' ' &&
                 text[i - 2] == ':';
    return CO4_OK;
}

int main(void)
{
    about_to_go = co4_runtime_create(&(co4_runtime_options){ .workers = 1 }); /* dumped last */
    co4_mailbox *mb = co4_mailbox_create(sizeof(int), 1);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_runtime_start(rt);
    for (int i = 0; i < 100; i++)
        co4_runtime_spawn(rt, waits(mb));
    for (int i = 0; i < 3; i++)
        co4_dump(NULL, slow, NULL);
    printf("runs ended meanwhile: %d\n", ended);
    if (reads > 3 && told_end >= 100)
        puts("the dump went on to the end");
    co4_mailbox_close(mb);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(mb);

    int n = 1;
    rt = co4_runtime_create(
        &(co4_runtime_options){ .workers = CO4_RUNTIME_EMBEDDED, .report = count_boxes });
    mb = co4_mailbox_create(sizeof n, 1);
    must(co4_mailbox_send_until(mb, &n, CO4_NOW));
    co4_runtime_report(rt, count_boxes, NULL);
    printf("mailboxes: %d\n", boxes);
    co4_mailbox_destroy(mb);
    co4_runtime_destroy(rt);
    return 0;
}
