int wait_for(void) __attribute((annotate("co4_pausable")));
int __attribute((annotate("co4_pausable"))) f(void)
{
/**/ #include <stdint.h>
    int32_t r = wait_for();
    return r;
}
