/* struct_result.c - a wide struct result: into a variable, a member of it, and as one's own. */
#include <co4.h>

struct record {
    char name[40];
    int size;
};

pausable struct record find(int id);
pausable struct record larger(int a, int b);

pausable struct record larger(int a, int b)
{
    struct record first = find(a);
    if (find(b).size > first.size)
        return find(b);
    return first;
}
