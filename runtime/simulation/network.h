/* network.h - how the network of a program of --auto=test behaves: options.c. */
#ifndef CO4_SIMULATION_NETWORK_H
#define CO4_SIMULATION_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/public.h"
#include "co4/test_network.h"

/* Reads NAME=VALUE,… as CO4_TEST_NETWORK has it. False: it is not of this form. */
CO4__OWN bool co4__simulated_options(const char *text, co4_test_network_options *options);

/* Moves *text behind a number with a unit, up to an hour. False: there is none. */
CO4__OWN bool co4__simulated_time(const char **text, int64_t *ns);

#endif
