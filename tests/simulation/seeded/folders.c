/* folders.c - prints the names of a folder, as several calls have them. "back": they are made in
 * the other order, which must not be seen in a simulation. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 40 };

static int takes_few(const struct dirent *e)
{
    return strcmp(e->d_name, "f20") < 0;
}

static void make(int back)
{
    char name[16];
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "f%02d", back ? FILES - 1 - i : i);
        assert(close(open(name, O_CREAT | O_EXCL | O_WRONLY, 0600)) == 0);
    }
}

/* What has been read once comes again from there. */
static void positions(DIR *d)
{
    char names[FILES + 2][16];
    long at[FILES + 3];
    int n = 0;
    for (const struct dirent *e; at[n] = telldir(d), (e = readdir(d)) != NULL; n++)
        strcpy(names[n], e->d_name);
    assert(n == FILES + 2 && !readdir(d));
    for (int i = n - 1; i >= 0; i -= 7) {
        seekdir(d, at[i]);
        const struct dirent *e = readdir(d);
        assert(e && strcmp(e->d_name, names[i]) == 0 && e->d_ino > 0);
    }
    seekdir(d, at[0]);
    assert(strcmp(readdir(d)->d_name, names[0]) == 0);
}

/* An entry that is made later is there after rewinddir(). */
static void rewinds(DIR *d)
{
    int found = 0;
    assert(close(open("later", O_CREAT | O_WRONLY, 0600)) == 0);
    rewinddir(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        found += strcmp(e->d_name, "later") == 0;
    assert(found == 1 && unlink("later") == 0);
}

static void by_readdir(void)
{
    DIR *d = opendir(".");
    struct dirent one, *next;
    assert(d);
    errno = 0;
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        printf("%s%s", e->d_name, e->d_type == DT_DIR ? "/ " : " ");
    assert(errno == 0);
    puts("");
    rewinddir(d);
    while (readdir_r(d, &one, &next) == 0 && next)
        printf("%s ", one.d_name);
    puts("");
    rewinddir(d);
    positions(d);
    rewinds(d);
    assert(closedir(d) == 0);
    d = fdopendir(open(".", O_RDONLY | O_DIRECTORY));
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        printf("%s ", e->d_name);
    puts("");
    assert(closedir(d) == 0);
    assert(!opendir("none") && errno == ENOENT);
}

static void by_others(void)
{
    struct dirent **list;
    glob_t found;
    char *const paths[] = { (char[]){ "." }, NULL };
    int n = scandir(".", &list, takes_few, NULL);
    assert(n == 22);
    for (int i = 0; i < n; i++) {
        printf("%s ", list[i]->d_name);
        free(list[i]);
    }
    free(list);
    n = scandir(".", &list, takes_few, alphasort);
    assert(n == 22 && strcmp(list[0]->d_name, ".") == 0 && strcmp(list[21]->d_name, "f19") == 0);
    while (n > 0)
        free(list[--n]);
    free(list);
    assert(scandir("none", &list, NULL, NULL) == -1 && errno == ENOENT);
    puts("");
    assert(glob("f*", GLOB_NOSORT, NULL, &found) == 0 && found.gl_pathc == FILES);
    for (size_t i = 0; i < found.gl_pathc; i++)
        printf("%s ", found.gl_pathv[i]);
    puts("");
    globfree(&found);
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    assert(tree);
    for (const FTSENT *e; (e = fts_read(tree)) != NULL;)
        printf("%s ", e->fts_name);
    puts("");
    fts_close(tree);
}

int main(int argc, char **argv)
{
    char folder[] = "entries.XXXXXX", name[16];
    assert(mkdtemp(folder) && chdir(folder) == 0);
    make(argc > 1 && strcmp(argv[1], "back") == 0);
    by_readdir();
    by_others();
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "f%02d", i);
        unlink(name);
    }
    assert(chdir("..") == 0 && rmdir(folder) == 0);
    return 0;
}
