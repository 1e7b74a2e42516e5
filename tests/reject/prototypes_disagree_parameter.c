/* prototypes_disagree_parameter.c - a parameter is a plain pointer in one declaration and a marked one in another. */
#include <co4.h>

typedef pausable int callback(void *);

pausable int run(int (*f)(void *), void *arg); /* note: plain here */

pausable int run(callback *f, void *arg) /* error: parameter 1 of 'run' is pausable here */ /* hint: mark both pausable */
{
    return f(arg);
}

pausable int walk(callback *f, int n); /* note: pausable here */
pausable int walk(int (*f)(void *), int n); /* error: parameter 1 of 'walk' is plain here, but pausable in another */
