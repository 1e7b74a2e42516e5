/* null_pointer.c - a file has a pipe, which one thread opens anew while another one closes it.
 *
 * The mistake is of the kind of CVE-2009-3547: a thread looks whether there is a pipe, and reads
 * the pointer again to use it. Between the two reads the other one sets it to NULL. */
#include "sct.h"

static struct pipe {
    int readers;
} pipe = { 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pipe *of_file = &pipe;

static void *open_anew(void *arg)
{
    int readers = 4;
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    if (of_file)
        readers = of_file->readers;
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    assert(readers == 4);
    return arg;
}

static void *close_pipe(void *arg)
{
    if (RIGHT_FORM)
        pthread_mutex_lock(&lock);
    of_file = NULL;
    if (RIGHT_FORM)
        pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t reader, ender;
    begin_thread(&reader, open_anew, 0);
    begin_thread(&ender, close_pipe, 0);
    end_thread(reader);
    end_thread(ender);
    return 0;
}
