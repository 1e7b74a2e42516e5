/* curl_plain.c - one transfer.
 *
 *     curl_plain URL NUMBER */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

#include "curl_get.h"

int main(int argc, char **argv)
{
    char url[200];
    snprintf(url, sizeof url, "%s%s", argv[1], argc > 2 ? argv[2] : "0");
    curl_global_init(CURL_GLOBAL_ALL);
    printf("%ld\n", curl_get(url));
    curl_global_cleanup();
    return 0;
}
