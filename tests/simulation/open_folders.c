/* open_folders.c - so many folders are open at once, each is read, and they are closed, half of
 * them the newest first.
 *
 *     open_folders N */
#include <assert.h>
#include <dirent.h>
#include <stdlib.h>

static void read_all(DIR **all, int n)
{
    for (int i = 0; i < n; i++) {
        all[i] = opendir(".");
        assert(all[i] && readdir(all[i]));
    }
    for (int times = 0; times < 8; times++)
        for (int i = 0; i < n; i++) {
            int entries = 0;
            rewinddir(all[i]);
            while (readdir(all[i]))
                entries++;
            assert(entries >= 2);
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1;
    DIR **all = calloc((size_t)n, sizeof *all);
    assert(n > 0 && all);
    read_all(all, n);
    for (int i = 0; i < n / 2; i++)
        closedir(all[n - 1 - i]);
    for (int i = 0; i < n - n / 2; i++)
        closedir(all[i]);
    free(all);
    return 0;
}
