/* faults.c - what befalls a run beside its order of threads: parts of reads and writes, resets,
 * calls of the disk that fail, crashes, the lines of a script of nodes.
 *
 * Purpose: each is the n-th of its kind that could happen in a life of a process. So a run can be
 * made again with some of them only: co4test --shrink drops those that do not matter. A schedule
 * with the line "faults" lists the ones that happen; without it chance decides. Each is drawn in
 * either case, but what a fault draws besides, as the bytes of a part, is not drawn without it: so
 * other numbers of the run may be others.
 *
 * CO4_TEST_CHOICES gets, among the choices, a line for each that happens:
 *
 *     fault KIND NUMBER CHOICE THREAD : WHAT
 *
 * the choice before it, the thread that runs, and where its last decision was, as addr2line takes
 * it; 0 and nothing where no thread runs. */
#define _GNU_SOURCE
#include "simulation/faults.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "debug/simulate.h"
#include "debug/task_record.h"
#include "platform/thread.h"
#include "simulation/places.h"

enum { KINDS = 16, KIND = 16 };

struct kind {
    char name[KIND];
    unsigned long long count;    /* of those that could happen */
    unsigned long long *numbers; /* that are listed */
    size_t nnumbers, next;
};

static struct {
    struct kind kinds[KINDS];
    bool is_listed;
    co4_writer *out;
    void *data;
} own;

void co4__faults_begin(co4_writer *out, void *data)
{
    for (size_t i = 0; i < KINDS; i++)
        co4__heap_free(own.kinds[i].numbers);
    memset(&own, 0, sizeof own);
    own.out = out;
    own.data = data;
}

void co4__faults_listed(void)
{
    own.is_listed = true;
}

bool co4__faults_matter(void)
{
    return own.is_listed || own.out;
}

/* Returns NULL if there are too many. */
static struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < KINDS; i++) {
        struct kind *k = &own.kinds[i];
        if (k->name[0] == '\0')
            strncpy(k->name, name, KIND - 1);
        if (strncmp(k->name, name, KIND - 1) == 0)
            return k;
    }
    return NULL;
}

const char *co4__faults_add(const char *kind, unsigned long long number)
{
    struct kind *k = kind_of(kind);
    if (!own.is_listed)
        return "a fault comes after the line 'faults'";
    if (!k)
        return "too many kinds of faults";
    if (number == 0 || (k->nnumbers > 0 && k->numbers[k->nnumbers - 1] >= number))
        return "the faults of a kind have ascending numbers";
    unsigned long long *more = co4__array_grow(k->numbers, k->nnumbers, sizeof *more);
    if (!more)
        return strerror(ENOMEM);
    k->numbers = more;
    k->numbers[k->nnumbers++] = number;
    return NULL;
}

void co4__fault_happens(const char *kind, uint64_t number, const char *what)
{
    struct co4__simulation *s = co4__local()->simulate.state;
    co4_task *running = s ? co4__local()->current : NULL;
    struct co4__task_record *record = running ? co4__record_of(running) : NULL;
    struct co4__text x;
    if (!own.out)
        return;
    co4__text_begin(&x, own.out, own.data);
    co4__put(&x, "fault ");
    co4__put(&x, kind);
    co4__put(&x, " ");
    co4__put_number(&x, number);
    co4__put(&x, " ");
    co4__put_number(&x, s ? co4__simulated_of(s)->result.choices : 0);
    co4__put(&x, " ");
    co4__put_number(&x, record ? record->number : 0);
    co4__put(&x, " : ");
    if (what)
        co4__put(&x, what);
    else if (record && record->decided_at)
        co4__put_command(&x, record->decided_at);
    co4__put(&x, "\n");
    co4__text_end(&x);
}

bool co4__fault_named(const char *kind, bool drawn, const char *what)
{
    struct kind *k = co4__faults_matter() ? kind_of(kind) : NULL;
    if (!k)
        return drawn;
    k->count++;
    if (own.is_listed) {
        drawn = k->next < k->nnumbers && k->numbers[k->next] == k->count;
        k->next += drawn;
    }
    if (drawn)
        co4__fault_happens(kind, k->count, what);
    return drawn;
}

bool co4__fault(const char *kind, bool drawn)
{
    return co4__fault_named(kind, drawn, NULL);
}

uint64_t co4__fault_call(const char *kind, uint64_t drawn)
{
    const struct kind *k = own.is_listed ? kind_of(kind) : NULL;
    return !k ? drawn : k->nnumbers > 0 ? k->numbers[0] : 0;
}
