/* tls_curl.c - sessions by the easy interface of libcurl. */
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "tls_session.h"

enum { REPEATS = 500 };

static const char *certificates;

struct answer {
    char path[40];
    size_t got;
    int wrong;
};

int tls_begin(const char *authority)
{
    certificates = authority;
    return curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK;
}

void tls_end(void)
{
    curl_global_cleanup();
}

static size_t take(char *bytes, size_t size, size_t count, void *data)
{
    struct answer *a = data;
    size_t length = strlen(a->path);
    for (size_t k = 0; k < size * count; k++)
        a->wrong += bytes[k] != a->path[a->got++ % length];
    return size * count;
}

void tls_session(const char *target, int i, char *told, size_t size)
{
    char url[200], error[CURL_ERROR_SIZE] = "";
    struct answer a = { .got = 0 };
    CURL *easy = curl_easy_init();
    snprintf(a.path, sizeof a.path, "/path%d", i);
    snprintf(url, sizeof url, "https://127.0.0.1:%s%s", target, a.path);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_CAINFO, certificates);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &a);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error);
    CURLcode code = curl_easy_perform(easy);
    if (code != CURLE_OK)
        snprintf(told, size, "%d %s", code, error);
    else
        snprintf(told, size, "%s",
                 a.wrong == 0 && a.got == REPEATS * strlen(a.path) ? "good" : "another answer");
    curl_easy_cleanup(easy);
}
