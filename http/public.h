/* public.h - the public headers. Their declarations are visible in the shared library. */
#ifndef CO4_HTTP_PUBLIC_H
#define CO4_HTTP_PUBLIC_H

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include "co4/http.h"
#include "co4/http_client.h"
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

#endif
