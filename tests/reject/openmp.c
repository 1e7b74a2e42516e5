/* openmp.c - regions that other threads may run: a resume cannot jump into one. In a plain function, or where nothing
 * pauses, they are the compiler's. */
/* flags: -fopenmp */
#include <co4.h>

static int total(const int *numbers, int n)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += numbers[i];
    return sum;
}

pausable int add(int a, int b);
pausable int add(int a, int b)
{
    int sum = 0;
#pragma omp atomic
    sum += a + b;
    return sum;
}

pausable int work(const int *numbers, int n);
pausable int work(const int *numbers, int n)
{
    int sum = total(numbers, n) + add(1, 2);
#pragma omp parallel for /* error: a pragma of OpenMP in 'work' */ /* hint: plain function */
    for (int i = 0; i < n; i++)
        add(numbers[i], 1);
    return sum;
}
