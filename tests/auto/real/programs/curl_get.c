/* curl_get.c - see curl_get.h. */
#include "curl_get.h"

#include <curl/curl.h>
#include <stdio.h>

static size_t take(char *bytes, size_t size, size_t count, void *data)
{
    long *sum = data;
    for (size_t i = 0; i < size * count; i++)
        *sum += (unsigned char)bytes[i];
    return size * count;
}

long curl_get(const char *url)
{
    long sum = 0;
    CURL *easy = curl_easy_init();
    if (easy == NULL)
        return -1;
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &sum);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    CURLcode code = curl_easy_perform(easy);
    if (code != CURLE_OK)
        fprintf(stderr, "%s: %s\n", url, curl_easy_strerror(code));
    curl_easy_cleanup(easy);
    return code == CURLE_OK ? sum : -1;
}
