/* test_messages.c - what messages are made of: JSON strings, insertions, words about warnings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
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

static void insertions_keep_their_places(void **state)
{
    (void)state;
    cw_patch patch = { 0 };
    cw_buf text = { 0 }, out = { 0 };
    cw_puts(&text, "line 1\nline 2\nline 3");
    assert_true(cw_patch_add(&patch, "/f", 3, 6, "number "));
    assert_true(cw_patch_add(&patch, "/f", 1, 1, "a "));
    assert_true(cw_patch_add(&patch, "/f", 1, 6, "b "));
    assert_true(cw_patch_add(&patch, "/f", 1, 1, "line 0\n"));
    assert_false(cw_patch_add(&patch, "/f", 1, 1, "a "));
    cw_patch_sort(&patch);
    assert_true(cw_patch_apply(patch.items, patch.count, &text, &out));
    assert_string_equal(out.data, "line 0\na line b 1\nline 2\nline number 3");
    cw_buf_free(&out);
    assert_true(cw_patch_add(&patch, "/f", 4, 1, "beyond "));
    assert_false(cw_patch_apply(patch.items, patch.count, &text, &out));
    cw_buf_free(&out);
    cw_buf_free(&text);
    cw_patch_free(&patch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_takes_any_bytes),
        cmocka_unit_test(the_last_word_about_a_warning_counts),
        cmocka_unit_test(insertions_keep_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
