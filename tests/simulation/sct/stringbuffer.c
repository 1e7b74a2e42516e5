/* stringbuffer.c - a text is appended to another one, each with its lock.
 *
 * The mistake: the length of the text is read in one turn of its lock, its bytes in another one.
 * Between the two a thread makes it shorter, and bytes are copied that are not its own any more. */
#include <string.h>

#include "sct.h"

enum { ROOM = 16 };

struct buffer {
    pthread_mutex_t lock;
    int length;
    char bytes[ROOM];
};

static struct buffer source = { .lock = PTHREAD_MUTEX_INITIALIZER, .length = 3, .bytes = "abc" },
                     target = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *append(void *arg)
{
    pthread_mutex_lock(&target.lock);
    pthread_mutex_lock(&source.lock);
    int length = source.length;
    if (!RIGHT_FORM) {
        pthread_mutex_unlock(&source.lock);
        pthread_mutex_lock(&source.lock);
    }
    assert(length <= source.length);
    memcpy(&target.bytes[target.length], source.bytes, (size_t)length);
    target.length += length;
    pthread_mutex_unlock(&source.lock);
    pthread_mutex_unlock(&target.lock);
    return arg;
}

static void *empty(void *arg)
{
    pthread_mutex_lock(&source.lock);
    source.length = 0;
    memset(source.bytes, 0, sizeof source.bytes);
    pthread_mutex_unlock(&source.lock);
    return arg;
}

int main(void)
{
    pthread_t appender, other;
    begin_thread(&appender, append, 0);
    begin_thread(&other, empty, 0);
    end_thread(appender);
    end_thread(other);
    assert((int)strlen(target.bytes) == target.length);
    return 0;
}
