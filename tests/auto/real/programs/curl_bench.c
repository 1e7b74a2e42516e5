/* curl_bench.c - transfers one after the other.
 *
 *     curl_bench URL TRANSFERS */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

#include "curl_get.h"

int main(int argc, char **argv)
{
    long sum = 0;
    curl_global_init(CURL_GLOBAL_ALL);
    for (int i = 0; argc > 2 && i < atoi(argv[2]); i++)
        sum += curl_get(argv[1]);
    printf("%ld\n", sum);
    curl_global_cleanup();
    return sum <= 0;
}
