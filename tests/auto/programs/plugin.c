/* plugin.c - threads that are tasks call a plugin: what it has for a thread is the worker's. With
 * -DPLUGIN it is the plugin. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct plugin {
    int (*count)(void);             /* how often this thread has called it */
    int (*with_value)(void *value); /* whether the thread had one */
    int (*is_self)(pthread_t self); /* whether the caller is that thread */
    int (*read_one)(int fd);        /* of its bytes */
    int (*begin)(void);             /* what its own thread returns */
    void (*end)(void);              /* ends the calling thread */
};

#ifdef PLUGIN

static __thread char large[1 << 16];
static __thread int calls = 5;
static pthread_key_t key;

__attribute__((constructor)) static void make_key(void)
{
    pthread_key_create(&key, NULL);
}

__attribute__((destructor)) static void drop_key(void)
{
    pthread_key_delete(key);
}

static int count(void)
{
    large[sizeof large - 1]++;
    return ++calls - 5;
}

static int with_value(void *value)
{
    int had = pthread_getspecific(key) != NULL;
    pthread_setspecific(key, value);
    return had;
}

static int is_self(pthread_t self)
{
    return pthread_equal(self, pthread_self()) != 0;
}

static int read_one(int fd)
{
    char c;
    return (int)read(fd, &c, 1);
}

static void *run(void *arg)
{
    usleep(100);
    calls += 10;
    return (char *)arg + calls;
}

static int begin(void)
{
    pthread_t id;
    void *value = NULL;
    return pthread_create(&id, NULL, run, NULL) == 0 && pthread_join(id, &value) == 0
               ? (int)(intptr_t)value
               : -1;
}

static void end(void)
{
    pthread_exit(NULL);
}

const struct plugin plugin = { count, with_value, is_self, read_one, begin, end };

#else

enum { THREADS = 4 };

static void *library;
static const struct plugin *plugin;
static int fds[2];
static atomic_int counts, values, selves, bytes, begun, again, live, go_on;

static int load(const char *path)
{
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    plugin = library ? dlsym(library, "plugin") : NULL;
    return plugin != NULL;
}

static void *calls_it(void *arg)
{
    counts += plugin->count();
    values += plugin->with_value(arg);
    selves += plugin->is_self(pthread_self());
    bytes += plugin->read_one(fds[0]);
    begun += plugin->begin();
    return arg;
}

/* The plugin goes and comes while it waits. */
static void *outlives_it(void *arg)
{
    plugin->count();
    live++;
    while (!go_on)
        usleep(100);
    again += plugin->count() > 0;
    return arg;
}

static void *is_ended(void *arg)
{
    usleep(100);
    plugin->end();
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t ids[THREADS];
    if (argc < 2 || !load(argv[1]) || pipe(fds) != 0 || write(fds[1], "abcd", 4) != 4)
        return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, calls_it, ids);
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    printf("counts %d, values %d, selves %d, bytes %d, begun %d\n", counts, values, selves, bytes,
           begun);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, outlives_it, NULL);
    while (live < THREADS)
        usleep(100);
    printf("closed %d\n", dlclose(library));
    printf("there again %d\n", load(argv[1]));
    go_on = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    printf("again %d\n", again);
    fflush(stdout);
    if (argc > 2) {
        pthread_create(&ids[0], NULL, is_ended, NULL);
        pthread_join(ids[0], NULL);
        printf("ended\n");
    }
    return 0;
}

#endif
