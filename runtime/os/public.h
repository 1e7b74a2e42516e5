/* public.h - the public headers of os/. Their declarations are visible in the shared library. */
#ifndef CO4_OS_PUBLIC_INTERNAL_H
#define CO4_OS_PUBLIC_INTERNAL_H

/* The system's headers first: their declarations stay as they are. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#ifndef __wasi__
#include <signal.h>
#include <sys/wait.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif
#include "co4/file.h"
#ifndef __wasi__
#include "co4/process.h"
#include "co4/signal.h"
#endif
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif

#endif
