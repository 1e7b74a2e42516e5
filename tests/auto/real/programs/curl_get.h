/* curl_get.h - one transfer by the easy interface of libcurl, which knows nothing of tasks. */
#ifndef CURL_GET_H
#define CURL_GET_H

/* Returns the sum of the bytes of the answer; -1 for an error. */
extern long curl_get(const char *url);

#endif
