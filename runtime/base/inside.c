/* inside.c - the count of inside.h. */
#include "base/inside.h"

#ifdef CO4__NO_THREADS
struct co4__inside co4__inside;
#else
_Thread_local struct co4__inside co4__inside;
#endif
