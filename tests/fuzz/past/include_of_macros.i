int wait_for(void) __attribute((annotate("co4_pausable")));
/**/ #include <limits.h>
int __attribute((annotate("co4_pausable"))) f(void)
{
    return wait_for() + INT_MAX;
}
