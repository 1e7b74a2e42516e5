/* public.h - the public headers of net/. Their declarations are visible in the shared library. */
#ifndef CO4_NET_PUBLIC_INTERNAL_H
#define CO4_NET_PUBLIC_INTERNAL_H

#include "base/public.h"
#include "io/public.h"

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include "co4/net.h"
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

#endif
