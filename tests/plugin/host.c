/* host.c - loads a plugin, has a thread use it, unloads it, and only then lets the thread end. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static int (*answer)(void);
static sem_t used, unloaded;

static void *uses(void *arg)
{
    printf("%d ", answer());
    sem_post(&used);
    sem_wait(&unloaded);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!plugin) {
        puts(dlerror());
        return 1;
    }
    *(void **)&answer = dlsym(plugin, "plugin_answer");
    sem_init(&used, 0, 0);
    sem_init(&unloaded, 0, 0);
    printf("%d ", answer());
    pthread_create(&t, NULL, uses, NULL);
    sem_wait(&used);
    dlclose(plugin);
    printf("unloaded, ");
    fflush(stdout);
    sem_post(&unloaded);
    pthread_join(t, NULL);
    puts("ended");
    return 0;
}
