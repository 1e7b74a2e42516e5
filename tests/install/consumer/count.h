#include <co4.h>

pausable int count(const char *name, int n);
