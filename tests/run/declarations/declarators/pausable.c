/* pausable.c - the shapes, pausable; entered by co4_run. */
#define MARK        pausable
#define ENTER(call) co4_run(call)
#define ALL         all_pausable
#define KIND        "pausable"
#include "shapes.h"
