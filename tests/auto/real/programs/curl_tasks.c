/* curl_tasks.c - transfers at once, a task each, on one worker.
 *
 *     curl_tasks URL TRANSFERS      the number of the transfer follows the URL */
#include <co4.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

#include "curl_get.h"
#include "measure.h"

static long *sums;

static pausable void get(const char *base, int i)
{
    char url[200];
    snprintf(url, sizeof url, "%s%d", base, i);
    sums[i] = curl_get(url);
}

int main(int argc, char **argv)
{
    int transfers = argc > 2 ? atoi(argv[2]) : 1;
    sums = calloc((size_t)transfers, sizeof *sums);
    co4_runtime *rt = co4_runtime_create(&(co4_runtime_options){ .workers = 1 });
    if (sums == NULL || rt == NULL || curl_global_init(CURL_GLOBAL_ALL) != CURLE_OK)
        return 2;
    double begin = measure_seconds();
    for (int i = 0; i < transfers; i++)
        co4_runtime_spawn(rt, get(argv[1], i));
    co4_runtime_start(rt);
    co4_runtime_join(rt);
    printf("%d transfers in %.2f s\n", transfers, measure_seconds() - begin);
    for (int i = 0; i < transfers; i++)
        printf("%d: %ld\n", i, sums[i]);
    free(sums);
    curl_global_cleanup();
    return co4_runtime_destroy(rt) == CO4_OK ? 0 : 1;
}
