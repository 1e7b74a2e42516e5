/* options.h - what the environment asks of a run: options.c explains it. */
#ifndef CO4_SIMULATION_OPTIONS_H
#define CO4_SIMULATION_OPTIONS_H

#include <stdint.h>

#include "base/compiler.h"
#include "co4/test.h"

CO4__OWN void co4__simulation_options(co4_test_options *options, uint64_t seed);

#endif
