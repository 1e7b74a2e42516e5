/* stores.c - files of the network and of IndexedDB, as with Asyncify.
 *
 * expect: from the server: text of a file | missing: 1 | before: 0 0 | stored: 0 | there: 0 1 |
 * loaded: 0 9 bytes, the same 1 | eight at once: 8 | deleted: 0 | gone: 0 0 | load of nothing: 1 */
#include <co4.h>
#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int right, done;

static pausable void one(int i)
{
    char name[16];
    void *bytes = NULL;
    int error, count = 0, back = -1;
    snprintf(name, sizeof name, "file %d", i);
    emscripten_idb_store("co4 test", name, &i, sizeof i, &error);
    emscripten_idb_load("co4 test", name, &bytes, &count, &error);
    if (error == 0 && count == sizeof back)
        memcpy(&back, bytes, sizeof back);
    free(bytes);
    right += back == i;
    done++;
}

pausable_or_plain int main(void)
{
    void *bytes = NULL;
    int error = -1, count = 0, exists = -1;
    emscripten_wget_data("answer.txt", &bytes, &count, &error);
    printf("from the server: %.*s\n", count, error == 0 ? (char *)bytes : "?");
    free(bytes);
    emscripten_wget_data("missing.txt", &bytes, &count, &error);
    printf("missing: %d\n", error);
    emscripten_idb_exists("co4 test", "a", &exists, &error);
    printf("before: %d %d\n", error, exists);
    emscripten_idb_store("co4 test", "a", "some text", 9, &error);
    printf("stored: %d\n", error);
    emscripten_idb_exists("co4 test", "a", &exists, &error);
    printf("there: %d %d\n", error, exists);
    emscripten_idb_load("co4 test", "a", &bytes, &count, &error);
    printf("loaded: %d %d bytes, the same %d\n", error, count,
           count == 9 && memcmp(bytes, "some text", 9) == 0);
    free(bytes);
    for (int i = 0; i < 8; i++)
        co4_spawn(one(i));
    while (done < 8)
        emscripten_sleep(1);
    printf("eight at once: %d\n", right);
    emscripten_idb_delete("co4 test", "a", &error);
    printf("deleted: %d\n", error);
    emscripten_idb_exists("co4 test", "a", &exists, &error);
    printf("gone: %d %d\n", error, exists);
    emscripten_idb_load("co4 test", "a", &bytes, &count, &error);
    printf("load of nothing: %d\n", error);
    return 0;
}
