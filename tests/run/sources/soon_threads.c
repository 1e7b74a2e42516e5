/* soon_threads.c - beside tasks whose steps are long, what is woken by a message, by a timer and by
 * another worker gets its turn soon. Counted are the steps that begin while it is ready.
 *
 * A step may begin between the moment in which a task becomes ready and the end of the step in
 * which that is noticed: one for each worker. A busy machine may disturb half of the measurements.
 * needs: threads workers
 * modes: woven
 * expect: 1 worker: messages soon 1, sleeps soon 1
 * expect: 2 workers: messages soon 1, sleeps soon 1
 * expect: taken from a step that lasts: 1 */
#include <co4.h>
#include <stdatomic.h>
#include <stdio.h>

enum { COMPUTE = 4, TIMES = 40 };
#define STEP (2 * CO4_MS)

struct load {
    co4_mailbox *box;
    atomic_int steps;     /* that have begun */
    _Atomic int64_t due;  /* when the task that is waited for became ready; 0: it is not */
    atomic_int late;      /* of these steps, those that began since then */
    int messages, sleeps; /* that had to wait for too many */
    atomic_bool over;
};

static void compute_for(int64_t ns)
{
    for (int64_t end = co4_now() + ns; co4_now() < end;)
        ;
}

static pausable void computes(struct load *l)
{
    while (!l->over) {
        int64_t due = l->due;
        if (due != 0 && co4_now() > due)
            l->late++;
        compute_for(STEP);
        co4_yield();
    }
}

static pausable void hears(struct load *l)
{
    int word;
    while (co4_mailbox_receive(l->box, &word) == CO4_OK) {
        l->due = 0;
        l->messages += l->late > 2;
        l->late = 0;
    }
}

static pausable void says(struct load *l)
{
    for (int i = 0; i < TIMES; i++) {
        co4_yield();
        l->due = co4_now();
        co4_mailbox_send(l->box, &i);
    }
    co4_mailbox_close(l->box);
    for (int i = 0; i < TIMES; i++) {
        int64_t due = co4_now() + CO4_MS;
        l->due = due;
        co4_sleep_until(due);
        l->due = 0;
        l->sleeps += l->late > 2;
        l->late = 0;
    }
    l->over = true;
}

static void beside(unsigned workers)
{
    struct load l = { .box = co4_mailbox_create(sizeof(int), 1) };
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = workers });
    for (unsigned i = 0; i < COMPUTE * workers; i++)
        co4_runtime_spawn(rt, computes(&l));
    co4_runtime_spawn(rt, hears(&l));
    co4_runtime_spawn(rt, says(&l));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(l.box);
    printf("%u worker%s: messages soon %d, sleeps soon %d\n", workers, workers > 1 ? "s" : "",
           l.messages < TIMES / 2, l.sleeps < TIMES / 2);
}

/* ---- a step that lasts until the task has run that it has woken ---- */

static atomic_bool heard;

static pausable void hears_once(co4_mailbox *box)
{
    int word;
    co4_mailbox_receive(box, &word);
    heard = true;
}

static pausable void lasts(co4_mailbox *box)
{
    for (int i = 0; i < 10; i++) {
        compute_for(CO4_MS);
        co4_yield();
    }
    co4_mailbox_send(box, &(int){ 1 });
    for (int64_t end = co4_now() + 10 * CO4_SEC; !heard && co4_now() < end;)
        ;
    printf("taken from a step that lasts: %d\n", (int)heard);
}

int main(void)
{
    beside(1);
    beside(2);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 2 });
    co4_mailbox *box = co4_mailbox_create(sizeof(int), 1);
    co4_runtime_spawn(rt, hears_once(box));
    co4_runtime_spawn(rt, lasts(box));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    co4_runtime_destroy(rt);
    co4_mailbox_destroy(box);
    return 0;
}
