/* twice.h - a header of the program's own, with a body in it. */
static int twice(int n)
{
    return n + n;
}
