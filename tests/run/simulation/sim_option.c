/* sim_option.c - a program has test mode, with its network, if it includes test.h: it calls no
 * function of it, and a runtime's option is data.
 * needs: descriptors
 * modes: woven forced
 * expect: read abc
 * expect: an hour later */
#include <co4.h>
#include <co4/io.h>
#include <co4/test.h>
#include <stdio.h>

pausable static void work(void)
{
    int ends[2];
    char bytes[4] = "";
    if (co4_socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        perror("co4_socketpair");
        return;
    }
    co4_write(ends[1], "abc", 3);
    for (int n = 0, got; n < 3 && (got = (int)co4_read(ends[0], bytes + n, 3)) > 0;)
        n += got;
    printf("read %s\n", bytes);
    co4_sleep(3600 * CO4_SEC);
    if (co4_now() >= 3600 * CO4_SEC && co4_now() < 3601 * CO4_SEC)
        printf("an hour later\n");
    co4_close(ends[0]);
    co4_close(ends[1]);
}

int main(void)
{
    co4_test_options test = { .seed = 3 };
    co4_runtime_options options = CO4_RUNTIME_DEFAULTS;
    options.test = &test;
    co4_runtime *rt = co4_runtime_create(&options);
    if (rt == NULL || co4_runtime_start(rt) != CO4_OK)
        return 1;
    co4_task_release(co4_runtime_spawn(rt, work()));
    co4_runtime_join(rt);
    return co4_runtime_destroy(rt) != CO4_OK;
}
