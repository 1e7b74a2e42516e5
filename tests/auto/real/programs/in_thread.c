/* in_thread.c - main() for a test of a library: its own main(), compiled with -Dmain=test_main,
 * runs in a thread. With TEST_MAIN_VOID that has no parameters. */
#include <pthread.h>
#include <stdlib.h>

#ifdef TEST_MAIN_VOID
int test_main(void);
#else
int test_main(int argc, char **argv);
#endif

static int count, status;
static char **words;

static void *run(void *data)
{
    (void)data;
#ifdef TEST_MAIN_VOID
    status = test_main();
#else
    status = test_main(count, words);
#endif
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    count = argc;
    words = argv;
    if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 99;
    return status;
}
