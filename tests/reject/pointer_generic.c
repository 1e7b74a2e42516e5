/* pointer_generic.c - the one mention of a pausable function is in an operand of _Generic. */
#include <co4.h>

int (*later)(void) = _Generic(1, default : co4_yield);
/* error: variable 'later' takes a plain function */
/* hint: mark the declaration of variable 'later' pausable */
/* note: variable 'later' is declared here */
