#include <co4.h>

typedef pausable int handler(int);

extern pausable int (*hook)(int);
extern handler *table[2];
extern pausable int (*late)(int);
