/* Nothing here pauses: the compiler gets it as it is. */
int unrelated(int n);

int unrelated(int n)
{
    return n;
}
