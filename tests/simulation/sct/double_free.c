/* double_free.c - a line with a list of buffers for output, and one that is being sent.
 *
 * The mistake is that of CVE-2017-2636: the buffer that could not be sent stays in its variable
 * while it goes back to the list. A flush that comes then puts it there once more; two writers get
 * one buffer. */
#include "sct.h"

enum { BUFFERS = 2 };

static struct buffer {
    struct buffer *next;
    int uses;
} buffers[BUFFERS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer *free_list, *sending = &buffers[0];
static int put_back;

/* Puts the buffer that is being sent back to the list, if there is one. */
static void give_up(void)
{
    pthread_mutex_lock(&lock);
    struct buffer *mine = sending;
    if (RIGHT_FORM)
        sending = NULL;
    pthread_mutex_unlock(&lock);
    if (!mine)
        return;
    pthread_mutex_lock(&lock);
    mine->next = free_list;
    free_list = mine;
    sending = NULL;
    put_back++;
    pthread_mutex_unlock(&lock);
}

static void *end_sending(void *arg)
{
    give_up();
    return arg;
}

int main(void)
{
    together(2, end_sending);
    assert(put_back == 1);
    assert(free_list == &buffers[0] && !free_list->next);
    return 0;
}
