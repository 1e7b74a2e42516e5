/* test_messages.c - what messages are made of: JSON strings, patches, words about warnings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "text/diag.h"
#include "text/patch.h"

static void check_json(const char *text, const char *json)
{
    cw_buf out = { 0 };
    cw_json_string(&out, text);
    assert_string_equal(out.data, json);
    cw_buf_free(&out);
}

static void json_takes_any_bytes(void **state)
{
    (void)state;
    check_json("", "\"\"");
    check_json("a \"b\" \\ /\n\x01\x7f", "\"a \\\"b\\\" \\\\ /\\u000a\\u0001\\u007f\"");
    check_json("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
               "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
    check_json("\xe0\xa0\x80 \xe0\x9f\xbf", /* the first of three bytes; too long a form */
               "\"\xe0\xa0\x80 \\ufffd\\ufffd\\ufffd\"");
    check_json("\xe9 x", "\"\\ufffd x\"");                   /* Latin 1 */
    check_json("\xc0\xaf", "\"\\ufffd\\ufffd\"");            /* too long a form */
    check_json("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); /* half of a surrogate pair */
    check_json("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
    check_json("\xe2\x82", "\"\\ufffd\\ufffd\""); /* cut off */
    check_json("\xf0\x9f\x98", "\"\\ufffd\\ufffd\\ufffd\"");
    check_json("\xff\x80", "\"\\ufffd\\ufffd\"");
}

static void the_last_word_about_a_warning_counts(void **state)
{
    (void)state;
    cw_warnings w = { 0 };
    assert_true(cw_warnings_read(&w, "-Wno-co4-blocking"));
    assert_true(w.off[CW_W_BLOCKING] && !w.off[CW_W_HELD_LOCK]);
    assert_true(cw_warnings_read(&w, "-Wco4-blocking"));
    assert_false(w.off[CW_W_BLOCKING]);
    assert_true(cw_warnings_read(&w, "-w") && w.off[CW_W_THREAD_LOCAL]);
    assert_true(cw_warnings_read(&w, "-Werror=co4-thread-local"));
    assert_true(w.error[CW_W_THREAD_LOCAL] && !w.off[CW_W_THREAD_LOCAL]);
    assert_true(cw_warnings_read(&w, "-Werror") && w.error[CW_W_BLOCKING]);
    assert_true(cw_warnings_read(&w, "-Wno-error=co4-blocking"));
    assert_true(!w.error[CW_W_BLOCKING] && w.error[CW_W_HELD_LOCK]);
    assert_true(cw_warnings_read(&w, "-Wno-error") && !w.error[CW_W_HELD_LOCK]);
    assert_true(cw_warnings_read(&w, "-Wall") && cw_warnings_read(&w, "-Wco4"));
    assert_false(cw_warnings_read(&w, "-Wco4-"));
    assert_false(cw_warnings_read(&w, "-Wno-co4-block"));
    assert_false(cw_warnings_read(&w, "-Werror=co4-blocking-calls"));
}

/* A file of `lines` numbered lines in a folder of its own, which becomes the current one. */
static void make_file(char *folder, int lines, const char *end)
{
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    FILE *file = fopen("f", "w");
    assert_non_null(file);
    for (int i = 1; i <= lines; i++)
        fprintf(file, "line %d%s", i, i < lines ? "\n" : end);
    fclose(file);
}

static void check_patch(cw_patch *patch, const char *text)
{
    cw_buf out = { 0 };
    cw_patch_write(patch, &out);
    assert_string_equal(out.data != NULL ? out.data : "", text);
    cw_buf_free(&out);
    cw_patch_free(patch);
    remove("f");
}

static void patches_have_hunks_with_context(void **state)
{
    (void)state;
    char folder[] = "/tmp/co4-patch.XXXXXX";
    make_file(folder, 12, "");
    char *real = realpath("f", NULL);
    cw_patch patch = { 0 };
    assert_true(cw_patch_add(&patch, real, 12, 6, "number "));
    assert_true(cw_patch_add(&patch, real, 1, 1, "a "));
    assert_true(cw_patch_add(&patch, real, 1, 6, "b "));
    assert_true(cw_patch_add(&patch, real, 1, 1, "line 0\n"));
    assert_false(cw_patch_add(&patch, real, 1, 1, "a "));
    free(real);
    check_patch(
        &patch,
        "--- f\n+++ f\n@@ -1,4 +1,5 @@\n+line 0\n-line 1\n+a line b 1\n line 2\n line 3\n line 4\n"
        "@@ -9,4 +10,4 @@\n line 9\n line 10\n line 11\n-line 12\n\\ No newline at end of "
        "file\n+line number 12\n\\ No newline at end of file\n");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void patches_of_nothing_are_empty(void **state)
{
    (void)state;
    char folder[] = "/tmp/co4-patch.XXXXXX";
    make_file(folder, 1, "\n");
    cw_patch patch = { 0 };
    check_patch(&patch, "");
    assert_true(cw_patch_add(&patch, "/no/such/file", 1, 1, "x "));
    check_patch(&patch, "");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_takes_any_bytes),
        cmocka_unit_test(the_last_word_about_a_warning_counts),
        cmocka_unit_test(patches_have_hunks_with_context),
        cmocka_unit_test(patches_of_nothing_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
