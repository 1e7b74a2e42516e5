/* client_curl.c - the same by libcurl: one multi handle with so many transfers at once.
 *
 *     client_curl URL TRANSFERS REQUESTS     prints the bytes that have come */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>

static long long bytes;

static size_t take(char *data, size_t size, size_t count, void *arg)
{
    (void)data, (void)arg;
    bytes += (long long)(size * count);
    return size * count;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    int transfers = atoi(argv[2]), running = 1;
    long left = atol(argv[3]);
    CURLM *all = curl_multi_init();
    curl_multi_setopt(all, CURLMOPT_MAXCONNECTS, (long)transfers);
    for (int i = 0; i < transfers && left > 0; i++, left--) {
        CURL *one = curl_easy_init();
        curl_easy_setopt(one, CURLOPT_URL, argv[1]);
        curl_easy_setopt(one, CURLOPT_WRITEFUNCTION, take);
        curl_multi_add_handle(all, one);
    }
    while (running > 0) {
        CURLMsg *done;
        int more;
        curl_multi_perform(all, &running);
        while ((done = curl_multi_info_read(all, &more))) {
            CURL *one = done->easy_handle;
            if (done->data.result != CURLE_OK)
                return 1;
            curl_multi_remove_handle(all, one);
            if (left-- > 0) {
                curl_multi_add_handle(all, one);
                running++;
            } else {
                curl_easy_cleanup(one);
            }
        }
        if (running > 0)
            curl_multi_poll(all, NULL, 0, 1000, NULL);
    }
    curl_multi_cleanup(all);
    printf("%lld\n", bytes);
    return 0;
}
