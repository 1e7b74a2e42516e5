/* results.c - results that the C library keeps for each thread.
 *
 * Purpose: inet_ntoa(), and strerror() and strsignal() of a number that has no name, return a text
 * in a buffer of the thread. It stays until the thread asks again. So a task has buffers of its
 * own, which other tasks of its worker leave alone. Texts of numbers with a name are constant, and
 * stay. Without memory for the buffers, they are the thread's. Nothing else refers to this file. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <locale.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "core/local.h"
#include "posix/self.h"

char *__wrap_inet_ntoa(struct in_addr address);
char *__real_inet_ntoa(struct in_addr address);
char *__wrap_strerror(int number);
char *__real_strerror(int number);
char *__wrap_strerror_l(int number, locale_t locale);
char *__real_strerror_l(int number, locale_t locale);
char *__wrap_strsignal(int number);
char *__real_strsignal(int number);
/* Whether there is a name. Older C libraries do not say, nor do others. */
extern __attribute__((weak)) const char *strerrordesc_np(int number);
extern __attribute__((weak)) const char *sigdescr_np(int number);

struct results {
    char address[INET_ADDRSTRLEN];
    char error[64], signal[64];
};

static void end_results(void *results)
{
    co4__free(results);
}

static const co4_task_local own = CO4_TASK_LOCAL(end_results);

/* NULL: those of the thread. */
static struct results *results(void)
{
    co4_task *task = co4__posix_self();
    struct results *r = task ? co4__task_local_of(task, &own) : NULL;
    if (r || !task)
        return r;
    r = co4__alloc(sizeof *r);
    if (r && co4__task_local_give(task, &own, r) == CO4_OK)
        return r;
    co4__free(r);
    return NULL;
}

char *__wrap_inet_ntoa(struct in_addr address)
{
    struct results *r = results();
    if (!r)
        return __real_inet_ntoa(address);
    const unsigned char *byte = (const unsigned char *)&address;
    snprintf(r->address, sizeof r->address, "%d.%d.%d.%d", byte[0], byte[1], byte[2], byte[3]);
    return r->address;
}

static char *text_of(char *text, char *place, size_t bytes)
{
    snprintf(place, bytes, "%s", text);
    return place;
}

static char *error_text(char *text, int number)
{
    struct results *r = &strerrordesc_np && !strerrordesc_np(number) ? results() : NULL;
    return r ? text_of(text, r->error, sizeof r->error) : text;
}

char *__wrap_strerror(int number)
{
    return error_text(__real_strerror(number), number);
}

char *__wrap_strerror_l(int number, locale_t locale)
{
    return error_text(__real_strerror_l(number, locale), number);
}

char *__wrap_strsignal(int number)
{
    char *text = __real_strsignal(number);
    struct results *r = &sigdescr_np && !sigdescr_np(number) ? results() : NULL;
    return r ? text_of(text, r->signal, sizeof r->signal) : text;
}
