/* system.h - what the operating system says of the process. */
#ifndef CO4_SYSTEM_INTERNAL_H
#define CO4_SYSTEM_INTERNAL_H

#include <stdbool.h>

/* Has the process so many threads, without those of a sanitizer? False, too, where the system does
 * not say. */
bool co4__threads_are(unsigned n);

/* That this process may use; at least 1. */
int co4__processors(void);
/* Linux, for tests: the quota of the control group that the file `groups` names, under `root`; 0:
 * none. */
int co4__processors_of_group(const char *groups, const char *root);

#endif
