/* unread_file.c - where libclang drops a declaration altogether, it is not known what that
 * declares: the whole file stays plain.
 * needs: gcc's __builtin_has_attribute
 * plain: main next */
#include <stdio.h>

#ifdef __clang__
#error "not that"
#endif

static int wide __attribute__((aligned(16))) = 3;
_Static_assert(__builtin_has_attribute(wide, aligned), "it is");

static int next(int n)
{
    return n + wide;
}

int main(void)
{
    printf("%d\n", next(1));
    return 0;
}
