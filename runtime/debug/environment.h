/* environment.h - variables by which a program is observed that knows nothing of it. */
#ifndef CO4_ENVIRONMENT_H
#define CO4_ENVIRONMENT_H

#include "base/public.h"

/* Called once, before the first runtime is enrolled. */
void co4__environment_ask(void);
/* A runtime begins: its long steps are reported if the environment asks for that. */
void co4__environment_runtime_begins(co4_runtime *rt);
void co4__environment_runtime_ends(co4_runtime *rt);

#endif
