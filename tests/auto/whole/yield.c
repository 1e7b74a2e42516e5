/* yield.c - what plain code calls for the root: nothing waits there. */
int auto_yield(void);
int auto_yield(void)
{
    return 0;
}
