/* public.h - the public headers. Their declarations are visible in the shared library. */
#ifndef CO4_NATS_PUBLIC_H
#define CO4_NATS_PUBLIC_H

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include "co4/nats.h"
#include "co4/nats_group.h"
#include "co4/nats_kv.h"
#include "co4/nats_remote.h"
#include "co4/nats_service.h"
#include "co4/nats_stream.h"
#include "co4/nats_struct.h"
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

/* Returns the code, after its text is known to co4_strerror(). */
int co4__nats_code(int code);

#endif
