/* greet.h - the conversation of this server with one client. */
#ifndef GREET_H
#define GREET_H

#include <co4.h>

/* Answers each line of the client at the other end of `fd` until it ends; closes `fd`. */
pausable void greet(int fd);

#endif
