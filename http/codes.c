/* codes.c - the texts of this library's codes. */
#include <pthread.h>

#include "http.h"

static const co4_error_text all[] = {
    { CO4_HTTP_EMALFORMED, "CO4_HTTP_EMALFORMED", "the peer sends what is no HTTP" },
    { CO4_HTTP_ETOOBIG, "CO4_HTTP_ETOOBIG", "the message is beyond a limit" },
    { CO4_HTTP_ETRUNCATED, "CO4_HTTP_ETRUNCATED",
      "the connection has ended in the middle of a message" },
    { CO4_HTTP_EURL, "CO4_HTTP_EURL", "no address of http or https that a request can have" },
    { CO4_HTTP_EREDIRECTS, "CO4_HTTP_EREDIRECTS", "too many redirects" },
};

static void add_codes(void)
{
    static co4_error_texts texts = { all, sizeof all / sizeof *all, { NULL } };
    co4_error_add(&texts);
}

int co4__http_code(int code)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_codes);
    return code;
}
