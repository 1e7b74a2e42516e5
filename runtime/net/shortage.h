/* shortage.h - the wait of an accept that finds no free descriptor, or no memory. */
#ifndef CO4_SHORTAGE_H
#define CO4_SHORTAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/closed.h"
#include "net/public.h"

struct co4__descriptor;

/* Each waiting accept has one. Its address must not change. */
struct co4__shortage {
    struct co4__descriptor *listener; /* in use: the number is not given to another file; or NULL */
    struct co4__closed closed;
    int64_t pause;     /* the length of the next wait */
    bool is_shut_down; /* the listener is always ready */
    co4_case cases[2];
};

/* Returns whether an accept has failed because there is no descriptor or no memory. */
bool co4__is_shortage(int code);
/* Returns whether an accept has lost only the connection that it was about to return. */
bool co4__is_lost_connection(int code);

/* Called right after a try of this thread has failed, without a pause in between. False: the
 * listener has been closed. */
bool co4__shortage_begin(struct co4__shortage *s, int listener);
/* Called before each try: closings before it do not count. */
void co4__shortage_look(struct co4__shortage *s);
/* Fills the cases for the wait after a try. Returns when it ends at the latest. */
int64_t co4__shortage_cases(struct co4__shortage *s, int64_t deadline);
/* The result of the select. Returns CO4_OK, or the code with which the accept ends. */
int co4__shortage_waited(struct co4__shortage *s, int result, int64_t deadline);
/* A cleanup. */
void co4__shortage_end(struct co4__shortage *s);

#endif
