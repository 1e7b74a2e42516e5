#include <co4.h>

pausable int score(int n);
