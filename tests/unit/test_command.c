/* test_command.c - compile commands read and rewritten: the input and the output, as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command/command.h"

/* "cc -c a.c" as words. The caller frees. */
static cw_argv split(const char *line)
{
    cw_argv words = { 0 };
    char *copy = strdup(line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        cw_argv_add(&words, word);
    free(copy);
    return words;
}

/* Compares words with the expected line, and frees them. */
static void check_words(cw_argv *words, const char *expected)
{
    char line[1024] = "";
    for (size_t i = 0; i < words->count; i++) {
        strncat(line, i > 0 ? " " : "", sizeof line - strlen(line) - 1);
        strncat(line, words->items[i], sizeof line - strlen(line) - 1);
    }
    assert_string_equal(line, expected);
    cw_argv_free(words);
}

static void read_line(cw_command *command, const char *line)
{
    cw_argv words = split(line);
    cw_command_read(command, words.items);
    cw_argv_free(&words);
}

static void check_preprocess(const char *line, size_t index, const char *expected)
{
    cw_command command;
    cw_argv out = { 0 };
    read_line(&command, line);
    assert_false(cw_command_is_passed_on(&command));
    cw_command_preprocess(&command, index, false, &out);
    check_words(&out, expected);
    cw_command_free(&command);
}

static void check_compile(const char *line, const char *const replacements[], const char *expected)
{
    cw_command command;
    cw_argv out = { 0 };
    read_line(&command, line);
    assert_false(cw_command_is_passed_on(&command));
    cw_command_compile(&command, replacements, &out);
    check_words(&out, expected);
    cw_command_free(&command);
}

static void check_passed_on(const char *line)
{
    cw_command command;
    read_line(&command, line);
    if (!cw_command_is_passed_on(&command))
        fail_msg("not passed on: %s", line);
    cw_command_free(&command);
}

#define CHECK_COMPILE(line, expected, ...)                                                         \
    check_compile(line, (const char *const[]){ __VA_ARGS__ }, expected)

static void sources_and_inputs_are_told_apart(void **state)
{
    (void)state;
    cw_command command;
    read_line(&command, "cc a.c b.o -lm -o c.c d.c -x c e.txt -x none f.c -x assembler g.c");
    const char *const expected[] = { "a.c", "d.c", "e.txt", "f.c" };
    assert_int_equal(command.nsources, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(cw_command_source(&command, i)->value, expected[i]);
    assert_null(cw_command_source(&command, 4));
    assert_string_equal(command.output, "c.c");
    assert_int_equal(command.stage, CW_STAGE_LINK);
    cw_command_free(&command);
}

static void values_are_not_inputs(void **state)
{
    (void)state;
    const char *const before[] = { "-o",           "-D",
                                   "-U",           "-I",
                                   "-L",           "-l",
                                   "-T",           "-u",
                                   "-z",           "-e",
                                   "-MF",          "-MT",
                                   "-MQ",          "-MJ",
                                   "-include",     "-imacros",
                                   "-isystem",     "-iquote",
                                   "-idirafter",   "-iprefix",
                                   "-iwithprefix", "-isysroot",
                                   "--sysroot",    "-Xlinker",
                                   "-Xassembler",  "-Xpreprocessor",
                                   "-Xclang",      "-mllvm",
                                   "-target",      "-arch",
                                   "--param",      "-aux-info",
                                   "-dumpbase",    "-dumpdir",
                                   "-Ttext",       "-wrapper",
                                   "-B",           "-framework",
                                   "--output",     "--include" };
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        char line[64];
        cw_command command;
        snprintf(line, sizeof line, "cc -c %s x.c a.c", before[i]);
        read_line(&command, line);
        if (command.nsources != 1)
            fail_msg("x.c is taken for a source in: %s", line);
        cw_command_free(&command);
    }
}

static void prefix_maps_are_in_order(void **state)
{
    (void)state;
    cw_command command;
    cw_argv out = { 0 };
    read_line(&command, "cc -c -ffile-prefix-map=/a=b -fdebug-prefix-map=/c=d "
                        "-fmacro-prefix-map=/e==f a.c -I -ffile-prefix-map=/g=h");
    cw_command_prefix_maps(&command, &out);
    assert_int_equal(out.count, 2);
    assert_string_equal(out.items[0], "/a=b");
    assert_string_equal(out.items[1], "/e==f");
    cw_argv_free(&out);
    cw_command_free(&command);
}

static void what_makes_no_code_is_passed_on(void **state)
{
    (void)state;
    const char *const lines[] = { "cc -E a.c",
                                  "cc -M a.c",
                                  "cc -MM -c a.c",
                                  "cc -### a.c",
                                  "cc --version",
                                  "cc a.o -o a",
                                  "cc",
                                  "cc -c a.c -o",
                                  "cc -c a.cpp",
                                  "c++ -c a.c",
                                  "g++-12 -c a.c",
                                  "cc -dumpmachine",
                                  "cc -print-prog-name=ld",
                                  "cc -c a.s",
                                  "cc -c a.i",
                                  "cc -x c++ -c a.c",
                                  "cc --help a.c" };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        check_passed_on(lines[i]);
}

static void preprocessing_keeps_what_matters(void **state)
{
    (void)state;
    check_preprocess("cc -O2 -DX -I inc -Wall -c a.c -o a.o", 0,
                     "cc -O2 -DX -I inc -Wall -g0 -E -D__CO4WEAVE__=1 a.c");
    check_preprocess("cc -g3 -C -P -save-temps -Wl,-s -lm -L. -static a.c b.o", 0,
                     "cc -g3 -g0 -E -D__CO4WEAVE__=1 a.c");
    check_preprocess("cc -x c a.txt -x none b.c", 0, "cc -g0 -E -D__CO4WEAVE__=1 -xc a.txt");
    check_preprocess("cc -x c a.txt -x none b.c", 1, "cc -g0 -E -D__CO4WEAVE__=1 b.c");
    check_preprocess("/usr/bin/ccache clang -S a.c", 0,
                     "/usr/bin/ccache clang -g0 -E -D__CO4WEAVE__=1 a.c");
}

static void depfiles_are_named_as_the_compiler_would(void **state)
{
    (void)state;
    const char *end = "-g0 -E -D__CO4WEAVE__=1 a.c";
    const struct {
        const char *line, *expected;
    } cases[] = {
        { "cc -MD -c a.c", "cc -MD -MF a.d" },
        { "cc -MMD -c src/../a.c -o out.dir/a.o", "cc -MMD -MF out.dir/a.d -MQ out.dir/a.o" },
        { "cc -MD -c a.c -o out.dir/a", "cc -MD -MF out.dir/a.d -MQ out.dir/a" },
        { "cc -MD -MF d -c a.c -o a.o", "cc -MD -MF d -MQ a.o" },
        { "cc -MD -MFd -MTt -c a.c -o a.o", "cc -MD -MFd -MTt" },
        { "cc -Wp,-MMD,d -c a.c -o a.o", "cc -Wp,-MMD,d -MQ a.o" },
        { "cc -MD -MP a.c -o prog", "cc -MD -MP -MF prog.d -MQ prog" },
        { "cc -MF d -c a.c -o a.o", "cc -MF d" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[256];
        const char *source = strstr(cases[i].line, "src/../") ? "src/../a.c" : "a.c";
        snprintf(expected, sizeof expected, "%s %.*s%s", cases[i].expected, (int)(strlen(end) - 3),
                 end, source);
        check_preprocess(cases[i].line, 0, expected);
    }
}

static void compiling_replaces_sources_in_place(void **state)
{
    (void)state;
    CHECK_COMPILE("cc -O2 -DX -Iinc -MD -MF d -c a.c -o a.o",
                  "cc -O2 -c -x cpp-output T/a.i -o a.o", "T/a.i");
    CHECK_COMPILE("cc -x c a.txt -lm -x none b.o -o p",
                  "cc -x c -x cpp-output T/a.i -lm -x none b.o -o p", "T/a.i");
    /* a source that stays needs the preprocessor's flags */
    CHECK_COMPILE("cc -DX a.c b.c -o p", "cc -DX -x cpp-output T/a.i -x none b.c -o p", "T/a.i",
                  NULL);
    CHECK_COMPILE("cc -DX a.c b.S", "cc -DX -x cpp-output T/a.i -x none b.S", "T/a.i");
    CHECK_COMPILE("cc -DX a.c b.o lib.so.1 -Wl,-s",
                  "cc -x cpp-output T/a.i -x none b.o lib.so.1 -Wl,-s", "T/a.i");
}

static void libclang_learns_what_changes_meaning(void **state)
{
    (void)state;
    cw_command command;
    cw_argv out = { 0 };
    read_line(&command,
              "cc -DX -Iinc -std=c23 -m32 -march=native -funsigned-char -Wall -O2 -c a.c");
    cw_command_parse_args(&command, "i386-linux-gnu", &out);
    check_words(&out, "--target=i386-linux-gnu -std=c2x -m32 -funsigned-char");
    cw_command_ask_target(&command, &out);
    check_words(&out, "cc -m32 -dumpmachine");
    cw_command_check(&command, "T/a.i", &out);
    check_words(&out, "cc -std=c23 -m32 -march=native -funsigned-char -Wall -O2 -Wno-attributes "
                      "-fsyntax-only -x cpp-output T/a.i");
    cw_command_free(&command);
}

static void riscv_may_be_narrow(void **state)
{
    (void)state;
    static const struct {
        const char *abi, *said;
    } cases[] = {
        { "-mabi=ilp32", "--target=riscv32-unknown-elf" },
        { "-mabi=ilp32f", "--target=riscv32-unknown-elf" },
        { "-mabi=lp64d", "--target=riscv64-unknown-elf" },
        { "-O2", "--target=riscv64-unknown-elf" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *words[] = { "riscv64-unknown-elf-gcc", (char *)(uintptr_t)cases[i].abi, "-c", "a.c",
                          NULL };
        cw_command command;
        cw_argv out = { 0 };
        cw_command_read(&command, words);
        cw_command_parse_args(&command, "riscv64-unknown-elf", &out);
        check_words(&out, cases[i].said);
        cw_command_free(&command);
    }
}

static void response_files_are_read(void **state)
{
    (void)state;
    char path[] = "/tmp/co4-response.XXXXXX", word[64];
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    assert_non_null(file);
    fputs("  -DA=\\\"x\\\"\n\t'-DB=two words' \"-DC='\"\n@", file);
    fputs(path + 1, file); /* a word with @ that is no file */
    fclose(file);
    snprintf(word, sizeof word, "@%s", path);

    cw_argv words = { 0 };
    cw_argv_add_expanded(&words, word);
    remove(path);
    assert_int_equal(words.count, 4);
    assert_string_equal(words.items[0], "-DA=\"x\"");
    assert_string_equal(words.items[1], "-DB=two words");
    assert_string_equal(words.items[2], "-DC='");
    cw_argv_free(&words);

    cw_argv_add_expanded(&words, "@/no/such/file");
    check_words(&words, "@/no/such/file");
}

static void our_warnings_stay_with_us(void **state)
{
    (void)state;
    char *words[] = { "cc",    "-Wco4-blocking",
                      "-Wall", "-Wno-co4-held-lock",
                      "a.c",   "-Werror=co4-held-lock",
                      "-c",    "-Wno-error=co4-blocking",
                      "-Wco4", NULL };
    const char *none[] = { NULL };
    cw_command command;
    cw_argv out = { 0 };
    cw_command_read(&command, words);
    assert_true(command.has_ours);
    cw_command_as_it_was(&command, &out);
    check_words(&out, "cc -Wall a.c -c -Wco4");
    cw_command_compile(&command, none, &out);
    check_words(&out, "cc -Wall a.c -c -Wco4");
    cw_command_free(&command);
}

static void color_is_what_was_said_last(void **state)
{
    (void)state;
    static const struct {
        char *words[4];
        cw_color color;
    } cases[] = {
        { { "cc", "-c", "a.c" }, CW_COLOR_AUTO },
        { { "cc", "-fdiagnostics-color", "a.c" }, CW_COLOR_ALWAYS },
        { { "cc", "-fno-color-diagnostics", "-fcolor-diagnostics" }, CW_COLOR_ALWAYS },
        { { "cc", "-fdiagnostics-color=always", "-fno-diagnostics-color" }, CW_COLOR_NEVER },
        { { "cc", "-fdiagnostics-color=never", "-fdiagnostics-color=auto" }, CW_COLOR_AUTO },
        { { "cc", "-o", "-fdiagnostics-color" }, CW_COLOR_AUTO },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cw_command command;
        cw_command_read(&command, cases[i].words);
        assert_int_equal(cw_command_color(&command), cases[i].color);
        cw_command_free(&command);
    }
}

static void names_of_outputs(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        { "a.c", "a.o" }, { "x/y.z/a.b.c", "a.b.o" }, { "d.d/a", "a.o" }, { ".c", ".c.o" }
    };
    for (size_t i = 0; i < 4; i++) {
        char *name = cw_named_after(cases[i][0], ".o");
        assert_string_equal(name, cases[i][1]);
        free(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_and_inputs_are_told_apart),
        cmocka_unit_test(values_are_not_inputs),
        cmocka_unit_test(prefix_maps_are_in_order),
        cmocka_unit_test(what_makes_no_code_is_passed_on),
        cmocka_unit_test(preprocessing_keeps_what_matters),
        cmocka_unit_test(depfiles_are_named_as_the_compiler_would),
        cmocka_unit_test(compiling_replaces_sources_in_place),
        cmocka_unit_test(libclang_learns_what_changes_meaning),
        cmocka_unit_test(riscv_may_be_narrow),
        cmocka_unit_test(response_files_are_read),
        cmocka_unit_test(our_warnings_stay_with_us),
        cmocka_unit_test(color_is_what_was_said_last),
        cmocka_unit_test(names_of_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
