/* public.h - the public headers of io/. Their declarations are visible in the shared library. */
#ifndef CO4_IO_PUBLIC_INTERNAL_H
#define CO4_IO_PUBLIC_INTERNAL_H

/* The system's headers first: their declarations stay as they are. */
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include "co4/io.h"
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

#endif
