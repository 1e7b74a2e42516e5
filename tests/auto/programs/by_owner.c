/* by_owner.c - an object that --auto has not compiled keeps its caller by pthread_self(), by
 * specific values and by a recursive lock, while its callers wait. With -DPART it is the object. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int try_own(void), try_recursive(void);
void free_own(void), free_recursive(void), begin(void);
char *value(void);
pthread_t self(void);

#ifdef PART

static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER, recursive;
static pthread_t owner;
static int depth;
static pthread_key_t key;

void begin(void)
{
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &a);
    pthread_key_create(&key, free);
}

int try_own(void)
{
    int has;
    pthread_mutex_lock(&inner);
    has = depth == 0 || pthread_equal(owner, pthread_self());
    owner = has ? pthread_self() : owner;
    depth += has;
    pthread_mutex_unlock(&inner);
    return has;
}

void free_own(void)
{
    pthread_mutex_lock(&inner);
    depth--;
    pthread_mutex_unlock(&inner);
}

int try_recursive(void)
{
    return pthread_mutex_trylock(&recursive) == 0;
}

void free_recursive(void)
{
    pthread_mutex_unlock(&recursive);
}

char *value(void)
{
    char *v = pthread_getspecific(key);
    if (!v && (v = calloc(1, 20)))
        pthread_setspecific(key, v);
    return v;
}

pthread_t self(void)
{
    return pthread_self();
}

#else

enum { THREADS = 8, TURNS = 5 };

static int inside, bad;

static int holds_alone(int (*try)(void), void (*let_go)(void))
{
    int wrong;
    while (!try())
        usleep(50);
    wrong = !try() + (inside++ != 0);
    usleep(100);
    wrong += --inside != 0;
    let_go();
    let_go();
    return wrong;
}

static void *calls(void *arg)
{
    char text[20];
    long wrong = 0;
    snprintf(text, sizeof text, "%p", arg);
    strcpy(value(), text);
    for (int i = 0; i < TURNS; i++) {
        while (!try_own())
            usleep(50);
        wrong += holds_alone(try_recursive, free_recursive);
        free_own();
        wrong += !pthread_equal(self(), pthread_self()) + (strcmp(value(), text) != 0);
    }
    return (void *)wrong;
}

int main(void)
{
    pthread_t ids[THREADS];
    begin();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, calls, &ids[i]);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(ids[i], &wrong);
        bad += (int)(long)wrong;
    }
    printf("bad %d\n", bad);
    return 0;
}

#endif
