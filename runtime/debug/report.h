/* report.h - what the library reports by itself. */
#ifndef CO4_REPORT_H
#define CO4_REPORT_H

#include "base/public.h"
#include "platform/fork.h"
#include "sync/mailbox.h"

/* This call will return CO4_EDEADLK. `function`: what it called, or NULL. */
void co4__report_deadlock(const char *call, const char *function);

/* What is left of a runtime that goes, as its options say. */
void co4__report_left(co4_runtime *rt);
/* The mailboxes that such a report looks at. */
void co4__account_add(struct co4__account *a, co4_mailbox *mb);
void co4__account_drop(struct co4__account *a);

co4__fork_handler co4__report_fork;

#endif
