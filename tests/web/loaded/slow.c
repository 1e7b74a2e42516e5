/* slow.c - calls on files, and streams, that take time: as on Linux. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void show(const char *what, long n)
{
    printf("%s: %ld%s%s\n", what, n, n < 0 ? " " : "", n < 0 ? strerror(errno) : "");
}

static void size_of(const char *path)
{
    struct stat s;
    printf("%s: %d bytes\n", path, stat(path, &s) == 0 ? (int)s.st_size : -1);
}

static void descriptors(void)
{
    char text[32] = "", more[32] = "";
    int fd = open("d", O_RDWR | O_CREAT, 0600);
    struct iovec from[2] = { { "many ", 5 }, { "parts", 5 } };
    struct iovec to[3] = { { text, 3 }, { more, 4 }, { text + 3, 20 } };
    show("writev", writev(fd, from, 2));
    show("seek", lseek(fd, 0, SEEK_SET));
    show("readv", readv(fd, to, 3));
    printf("%s|%s\n", text, more);
    show("pwrite", pwrite(fd, "MANY", 4, 0));
    show("pread", pread(fd, text, 10, 0));
    printf("%.10s\n", text);
    show("end", read(fd, text, 10));
    show("data", fdatasync(fd));
    show("read only", write(open("d", O_RDONLY), "x", 1));
    show("write only", read(open("d", O_WRONLY), text, 1));
    show("link", link("d", "e"));
    show("again", link("d", "e"));
    size_of("e");
    show("truncate", truncate("e", 3));
    size_of("d");
    show("remove", remove("d"));
    show("access", access("d", F_OK));
    show("close", close(fd));
    show("closed", fsync(fd));
    show("mkdir", mkdir("f", 0700));
    show("remove", remove("f"));
    show("open", open("none/x", O_RDWR | O_CREAT, 0600));
    printf("%s\n", strrchr(realpath("./e", NULL), '/'));
}

static void streams(void)
{
    char line[64], *whole = NULL;
    size_t room = 0;
    int a = 0, b = 0;
    FILE *f = fopen("s", "w+");
    for (int i = 0; i < 3000; i++)
        fprintf(f, "%d %d\n", i, i * i);
    show("place", ftell(f));
    show("back", fseek(f, -12, SEEK_END));
    fputs(fgets(line, sizeof line, f), stdout);
    rewind(f);
    int n = 0, sum = 0;
    while (fscanf(f, "%d %d", &a, &b) == 2)
        sum += a, n++;
    printf("%d pairs, %d, %d\n", n, sum, b);
    rewind(f);
    for (n = 0; getline(&whole, &room, f) > 0; n++)
        ;
    printf("%d lines, end %d, error %d\n", n, feof(f) != 0, ferror(f) != 0);
    fseek(f, 5, SEEK_SET);
    fputs("XYZ", f);
    fseek(f, 0, SEEK_SET);
    ungetc(fgetc(f) + 10, f);
    printf("%s", fgets(line, sizeof line, f));
    char *all = malloc(100000);
    rewind(f);
    show("fread", (long)fread(all, 1, 100000, f));
    printf("%.12s\n", all);
    free(all);
    free(whole);
    show("fclose", fclose(f));
    size_of("s");
    f = fopen("s", "a");
    fputs("more", f);
    size_of("s");
    show("fflush", fflush(NULL));
    size_of("s");
    f = freopen("t", "w", f);
    fputs("another", f);
    show("fclose", fclose(f));
    size_of("s");
    size_of("t");
    f = fopen("s", "r");
    show("no write", fputs("x", f) < 0 && ferror(f));
    show("fclose", fclose(f));
    show("fopen", fopen("no/file", "r") ? 1 : -1);
    show("freopen", freopen("no/file", "r", fopen("t", "r")) ? 1 : -1);
    f = fopen("u", "w");
    setvbuf(f, NULL, _IONBF, 0);
    fputs("at once", f);
    size_of("u");
    setvbuf(fopen("v", "w"), NULL, _IOLBF, 100);
}

static int is_file(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static void folders(void)
{
    char name[] = "wXXXXXX", folder[] = "xXXXXXX";
    int fd = mkstemp(name);
    show("mkstemp", write(fd, "x", 1) + (strcmp(name, "wXXXXXX") != 0));
    show("unlink", unlink(name));
    show("mkdtemp", mkdtemp(folder) ? chdir(folder) : -1);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "%d", i);
        close(creat(name, 0600));
    }
    DIR *d = opendir(".");
    int n = 0, sum = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL; n++)
        sum += is_file(e) ? atoi(e->d_name) : 0;
    closedir(d);
    printf("%d entries, %d\n", n, sum);
    show("no folder", opendir("0") ? 1 : -1);
    show("chdir", chdir(".."));
    show("rename", rename(folder, "y"));
}

int main(void)
{
    descriptors();
    streams();
    folders();
    FILE *f = fopen("left", "w");
    fputs("what main() leaves", f);
    return 3;
}
