/* dump.h - parts of a dump, for reports. */
#ifndef CO4_DUMP_INTERNAL_H
#define CO4_DUMP_INTERNAL_H

#include "base/public.h"
#include "base/text.h"

/* Dumps one runtime, which the caller keeps alive, and its tasks. */
void co4__dump_runtime(struct co4__text *out, co4_runtime *rt);
void co4__put_object(struct co4__text *x, const char *what, const void *p);

#endif
