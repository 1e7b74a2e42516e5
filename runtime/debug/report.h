/* report.h - reports of the library. */
#ifndef CO4_REPORT_H
#define CO4_REPORT_H

#include "base/public.h"
#include "platform/fork.h"
#include "sync/mailbox.h"

/* For struct co4__made_hooks and struct co4__mailbox_hooks.
 *
 * Reports what remains of a runtime that ends, as its options say. */
void co4__report_left(co4_runtime *rt);
/* The number of runtimes with the option `report` changes. */
void co4__reports(int by);
/* Adds a mailbox to those in such reports, or removes it. */
void co4__account_add(struct co4__account *a, co4_mailbox *mb);
void co4__account_drop(struct co4__account *a);

co4__fork_handler co4__report_fork;

#endif
