/* fork.h - what net/ does when the process forks. Also for systems without sockets. */
#ifndef CO4_NET_FORK_H
#define CO4_NET_FORK_H

#include "platform/fork.h"

co4__fork_handler co4__resolver_fork;

#endif
