/* test_auto.c - parts of `co4weave --auto` by themselves: sums, deflated texts, records, objects,
 * archives, the graph of a program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "auto/archive.h"
#include "auto/object.h"
#include "auto/program.h"
#include "auto/record.h"
#include "base/sha256.h"

/* ---- sums ---- */

static void check_sum(const char *text, size_t times, size_t part, const char *expected)
{
    cw_sha256 sum;
    char digits[65];
    cw_sha256_begin(&sum);
    for (size_t i = 0; i < times; i++)
        for (size_t at = 0; at < strlen(text); at += part) {
            size_t rest = strlen(text) - at;
            cw_sha256_add(&sum, text + at, rest < part ? rest : part);
        }
    cw_sha256_end(&sum, digits);
    assert_string_equal(digits, expected);
}

/* The examples that NIST has published for FIPS 180-4. */
static void test_sums(void **state)
{
    (void)state;
    check_sum("", 1, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_sum("abc", 1, 2, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for (size_t part = 1; part < 60; part += 7)
        check_sum(two, 1, part, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_sum("aaaaaaaaaa", 100000, 10,
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* ---- records ---- */

static void test_deflated(void **state)
{
    (void)state;
    cw_buf text = { 0 }, small = { 0 }, back = { 0 };
    for (int i = 0; i < 20000; i++)
        cw_printf(&text, "line %d\n", i % 50);
    if (!cw_deflate(text.data, text.length, &small))
        skip(); /* there is no zlib */
    assert_true(small.length < text.length / 10);
    assert_true(cw_inflate(small.data, small.length, &back));
    assert_int_equal(back.length, text.length);
    assert_memory_equal(back.data, text.data, text.length);
    for (size_t at = 0; at < small.length; at += 11) {
        cw_buf damaged = { 0 }, got = { 0 };
        cw_put(&damaged, small.data, small.length);
        damaged.data[at] ^= 0x55;
        assert_false(cw_inflate(damaged.data, damaged.length, &got));
        assert_false(cw_inflate(small.data, at, &got));
        cw_buf_free(&damaged);
        cw_buf_free(&got);
    }
    cw_buf_free(&text);
    cw_buf_free(&small);
    cw_buf_free(&back);
}

static void test_records(void **state)
{
    (void)state;
    cw_auto_record record = { 0 }, back;
    cw_buf bytes = { 0 };
    cw_puts(&record.folder, "/a folder\nwith a line");
    cw_puts(&record.source, "x.c");
    cw_puts(&record.summary, "");
    cw_puts(&record.text, "int x;\n");
    cw_argv_add(&record.words, "cc");
    cw_argv_add(&record.words, "");
    cw_argv_add(&record.words, "-DX=\"a b\"");
    cw_auto_record_write(&record, &bytes);
    assert_null(cw_auto_record_read(&back, bytes.data, bytes.length));
    assert_string_equal(back.folder.data, record.folder.data);
    assert_string_equal(back.text.data, record.text.data);
    assert_string_equal(back.summary.data, "");
    assert_int_equal(back.words.count, 3);
    assert_string_equal(back.words.items[1], "");
    assert_string_equal(back.words.items[2], "-DX=\"a b\"");
    cw_auto_record_free(&back);
    for (size_t length = 0; length < bytes.length; length++)
        if (length != bytes.length - 1) /* the last newline */
            assert_non_null(cw_auto_record_read(&back, bytes.data, length));
    cw_auto_record_free(&record);
    cw_buf_free(&bytes);
}

/* ---- objects ---- */

static void put_number(cw_buf *to, unsigned long long value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) {
        char byte = i < 8 ? (char)(value >> 8 * i) : 0;
        cw_put(to, &byte, 1);
    }
}

static void put_section(cw_buf *to, unsigned name, unsigned flags, unsigned offset, unsigned size)
{
    put_number(to, name, 4);
    put_number(to, 1, 4);
    put_number(to, flags, 8);
    put_number(to, 0, 8);
    put_number(to, offset, 8);
    put_number(to, size, 8);
    put_number(to, 0, 8);
    put_number(to, 1, 8);
    put_number(to, 0, 8);
}

/* An ELF file of 64 bits: names, ".text" with 12 bytes, ".co4.auto" with "hello". */
static void make_object(cw_buf *to)
{
    static const char names[] = "\0.names\0.text\0.co4.auto"; /* 24 bytes */
    cw_put(to, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", 16);
    put_number(to, 0, 24);
    put_number(to, 112, 8); /* sections */
    put_number(to, 0, 10);
    put_number(to, 64, 2);
    put_number(to, 4, 2);
    put_number(to, 1, 2);
    put_number(to, 0, 64 - to->length % 64);
    to->length = 64;
    cw_put(to, names, sizeof names);
    cw_put(to, "hello", 5);
    put_number(to, 0, 112 - (unsigned)to->length);
    put_section(to, 0, 0, 0, 0);
    put_section(to, 1, 0, 64, sizeof names);
    put_section(to, 8, 6, 96, 12);
    put_section(to, 14, 0, 64 + sizeof names, 5);
}

static void test_objects(void **state)
{
    (void)state;
    cw_buf object = { 0 };
    size_t size;
    make_object(&object);
    const char *section = cw_object_record(object.data, object.length, &size);
    assert_non_null(section);
    assert_int_equal(size, 5);
    assert_memory_equal(section, "hello", 5);
    assert_int_equal(cw_object_code(object.data, object.length), 12);
    /* any damage finds the section inside the file, or none */
    for (size_t at = 0; at < object.length; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            char *copy = malloc(object.length);
            memcpy(copy, object.data, object.length);
            copy[at] = (char)(copy[at] ^ 1 << bit);
            section = cw_object_record(copy, object.length, &size);
            assert_true(section == NULL ||
                        (section >= copy && section + size <= copy + object.length));
            assert_true(cw_object_code(copy, object.length) <= 4 * object.length);
            free(copy);
        }
    for (size_t length = 0; length < object.length; length++) {
        char *copy = malloc(length + 1);
        memcpy(copy, object.data, length);
        section = cw_object_record(copy, length, &size);
        assert_true(section == NULL || section + size <= copy + length);
        free(copy);
    }
    cw_buf_free(&object);
}

/* ---- the graph ---- */

static const cw_plan_line root_lines[] = {
    { .word = CW_PLAN_ROOT, .name = "once", .instead = "co4_posix_once", .through = "1" },
    { .word = CW_PLAN_ROOT, .name = "read", .instead = "co4_posix_read" },
};
static char root_text[] = "";
static const cw_plan roots = { root_text, (cw_plan_line *)root_lines, 2 };

static void check_plan(cw_program *program, size_t unit, const char *expected)
{
    cw_buf plan = { 0 };
    bool any = cw_program_plan(program, unit, &plan);
    assert_int_equal(any, expected != NULL);
    if (any)
        assert_string_equal(plan.data, expected);
    cw_buf_free(&plan);
}

static void check_why(cw_program *program, const char *function, const char *expected)
{
    cw_buf why = { 0 };
    cw_program_why(program, function, &why);
    assert_string_equal(why.data, expected);
    cw_buf_free(&why);
}

static void test_graph(void **state)
{
    (void)state;
    char one[] = "D f:main a.c:1\nD s:local a.c:2\nC f:main f:get\nC s:local f:other\n";
    char two[] = "D f:get b.c:1\nD f:other b.c:2\nD s:local b.c:3\nG f:get m:ops.go\n"
                 "F s:local m:ops.go\nC s:local f:read\n";
    cw_program *program = cw_program_new();
    cw_buf why = { 0 };
    cw_program_add_unit(program, "a.c", one);
    cw_program_add_unit(program, "b.c", two);
    cw_program_solve(program, &roots, NULL, 0);
    check_plan(program, 0, "one-task *\npauses main\npauses get\n");
    check_plan(program, 1,
               "one-task *\n"
               "pauses get\npointers get\npauses local\naddress local\nroot read co4_posix_read\n");
    cw_program_why(program, "main", &why);
    assert_string_equal(why.data, "function main calls function get\n"
                                  "function get calls through member ops.go\n"
                                  "member ops.go may hold function local\n"
                                  "function local calls function read\n"
                                  "read is a root: co4_posix_read\n");
    check_why(program, "other", "other does not pause\n");
    check_why(program, "nowhere",
              "co4weave: warning: --why=nowhere: the program has no such function\n");
    /* the static function of the other unit has the same name */
    cw_program_refuse(program, 0, "local", "a reason");
    cw_program_solve(program, &roots, NULL, 0);
    check_plan(program, 0, "one-task *\npauses main\npauses get\n");
    cw_program_refuse(program, 1, "local", "a reason");
    cw_program_solve(program, &roots, NULL, 0);
    check_plan(program, 0, NULL);
    check_plan(program, 1, NULL);
    check_why(program, "local", "local does not pause, and stays plain: a reason\n");
    cw_program_free(program);
    cw_buf_free(&why);
}

/* A root that calls its parameter pauses because of what that may hold. */
static void test_calls_back(void **state)
{
    (void)state;
    char never[] = "D f:main a.c:1\nC f:main f:once\nD f:init a.c:2\nF f:init p:once:1\n";
    char waits[] = "D f:main a.c:1\nC f:main f:once\nD f:init a.c:2\nF f:init p:once:1\n"
                   "C f:init f:read\n";
    cw_program *program = cw_program_new();
    cw_buf out = { 0 };
    cw_program_add_unit(program, "a.c", never);
    cw_program_solve(program, &roots, NULL, 0);
    check_plan(program, 0, NULL);
    cw_program_free(program);
    program = cw_program_new();
    cw_program_add_unit(program, "a.c", waits);
    for (int i = 0; i < 2; i++) {
        cw_program_solve(program, &roots, NULL, 0);
        check_plan(program, 0,
                   "one-task *\npauses main\nroot once co4_posix_once\npauses init\n"
                   "address init\nroot read co4_posix_read\n");
        check_why(
            program, "main",
            "function main calls function once\nfunction once calls through parameter once:1\n"
            "parameter once:1 may hold function init\nfunction init calls function read\n"
            "read is a root: co4_posix_read\n");
        assert_int_equal(cw_program_blocks(program, "warning", 10, &out), 0);
    }
    cw_buf_free(&out);
    cw_program_refuse(program, 0, "init", "a reason");
    cw_program_solve(program, &roots, NULL, 0);
    check_plan(program, 0, NULL);
    cw_program_free(program);
}

/* Plain code that waits is named, with the path; what the user has chosen is not. */
static void test_blocks(void **state)
{
    (void)state;
    char text[] = "D f:compare a.c:1\nC f:compare f:read\nF f:compare p:qsort:3\n"
                  "C f:calls f:qsort\nC f:calls f:pthread_create\n"
                  "D f:refused a.c:2\nP f:refused a reason\nC f:refused f:compare\n"
                  "D f:work a.c:3\nC f:work f:read\nF f:work p:pthread_create:2\n"
                  "D f:calls a.c:4\nG f:calls p:own:0\nD f:own a.c:5\nF f:work p:own:0\n";
    char *const plain[] = { "refused", NULL };
    cw_program *program = cw_program_new();
    cw_buf out = { 0 };
    cw_program_add_unit(program, "a.c", text);
    cw_program_solve(program, &roots, NULL, 0);
    assert_int_equal(cw_program_blocks(program, "warning", 10, &out), 2);
    assert_non_null(strstr(out.data, "a.c:1: warning: 'compare' pauses, but 'qsort'"));
    assert_non_null(strstr(out.data, "  function compare calls function read\n  read is a root"));
    assert_non_null(strstr(out.data, "a.c:2: warning: 'refused' stays plain (a reason), and blocks "
                                     "its thread: it calls 'compare'"));
    assert_null(strstr(out.data, "own"));
    cw_buf_free(&out);
    assert_int_equal(cw_program_blocks(program, "error", 1, &out), 2);
    assert_non_null(strstr(out.data, "1 more functions block"));
    cw_buf_free(&out);
    cw_program_report(program, &out);
    assert_non_null(strstr(out.data, "3 of 5 functions pause\n2 calls look whether their function "
                                     "has paused, and 1 through pointers\n"));
    assert_non_null(strstr(out.data, "parameter own:0 pauses: it may hold work\n"));
    assert_non_null(strstr(out.data, "a.c:3: work blocks its thread if pthread_create calls it\n"));
    cw_buf_free(&out);
    cw_program_solve(program, &roots, plain, 1);
    assert_int_equal(cw_program_blocks(program, "warning", 10, &out), 1);
    cw_buf_free(&out);
    cw_program_free(program);
}

/* Lines that no weaver writes: they are left out, or name what is not there. */
static void test_bad_summaries(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n\n",
        "D",
        "D ",
        "C f:a",
        "C f:a ",
        "Z f:a f:b\n",
        "F  \n",
        "D f:a",
        "U",
        "E f:nowhere\n",
        "C f:a f:a\n",
        "C x y\n",
        "C f:a y\n",
        "M q\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cw_program *program = cw_program_new();
        cw_buf out = { 0 };
        char *copy = strdup(texts[i]);
        cw_program_add_unit(program, "a.c", copy);
        cw_program_solve(program, &roots, NULL, 0);
        cw_program_plan(program, 0, &out);
        cw_program_report(program, &out);
        cw_program_blocks(program, "warning", 10, &out);
        cw_buf_free(&out);
        cw_program_free(program);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),    cmocka_unit_test(test_deflated),
        cmocka_unit_test(test_records), cmocka_unit_test(test_objects),
        cmocka_unit_test(test_graph),   cmocka_unit_test(test_calls_back),
        cmocka_unit_test(test_blocks),  cmocka_unit_test(test_bad_summaries),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
