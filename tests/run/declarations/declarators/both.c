/* both.c - the shapes, for both worlds; called as plain functions are. */
#define MARK        pausable_or_plain
#define ENTER(call) (call)
#define ALL         all_of_both
#define KIND        "both"
#include "shapes.h"
