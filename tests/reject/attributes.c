/* attributes.c - attributes that nobody has thought about, and a name for the assembler that two functions would share. */
#include <co4.h>

__attribute__((marinated)) static pausable int known(int n) /* error at 16: 'known' is pausable and cannot have the attribute 'marinated': co4weave does not know it */ /* hint: give the attribute to a plain function that enters it */
{
    co4_yield();
    return n;
}

static pausable int copied(int n) __attribute__((__copy__(known))); /* error: cannot have the attribute 'copy': it would be called without a fiber */
static pausable int copied(int n)
{
    return known(n);
}

pausable_or_plain int both(int n) __asm__("of_both"); /* error: 'both' is pausable_or_plain and has two symbols */ /* hint: leave the compiler its name */
pausable_or_plain int both(int n)
{
    return copied(n);
}
