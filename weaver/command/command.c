/* command.c - reads a gcc or clang command line, and builds the weaver's commands from it.
 *
 * One table describes each option that matters: whether it has a value, where the value is, and
 * what the option is for (cw_arg_kind). An option that is not in the table is a single word for the
 * compiler proper. So the list of options whose value is the next word must be complete: a value
 * mistaken for an input is the only dangerous error.
 *
 * Compiling `cc -DX -O2 -c a.c -o a.o` becomes
 *
 *   preprocess   cc -DX -O2 -g0 -E -D__CO4WEAVE__=1 a.c
 *   compile      cc -O2 -c -x cpp-output TMP/0/a.i -o a.o
 *
 * so order, libraries and unknown options stay the same. The file is named after the source, for
 * compilers name their outputs after their input.
 *
 * Rejected: feeding the woven text through a pipe (`-x cpp-output -`): objects would be called
 * "-.o". */
#include "command/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bug.h"
#include "base/names.h"

typedef enum form {
    WHOLE,  /* the whole word, no value */
    NEXT,   /* the value is the next word */
    JOINED, /* the value follows in the same word */
    EITHER  /* NEXT or JOINED */
} form;

/* Of several names that a word is or begins with, the longest counts. */
static const struct option {
    cw_arg_kind kind;
    form form;
    const char *names;
} options[] = {
    { CW_ARG_STAGE, WHOLE,
      "-c --compile -S --assemble -fsyntax-only -E --preprocess -M --dependencies -MM "
      "--user-dependencies -### --help --version" },
    { CW_ARG_STAGE, JOINED, "--help= -dump -print- --print-" },
    { CW_ARG_PLAIN, NEXT,
      "-dumpbase-ext -dumpbase -dumpdir -target --target -arch --sysroot -gcc-toolchain "
      "-working-directory --param -mllvm -Xclang -Xanalyzer -aux-info -serialize-diagnostics "
      "--serialize-diagnostics -wrapper -b -V" },
    { CW_ARG_PLAIN, JOINED, "-object" },
    { CW_ARG_PLAIN, EITHER, "-MJ -isysroot -B -F -G" },
    { CW_ARG_OUTPUT, EITHER, "-o" },
    { CW_ARG_OUTPUT, JOINED, "--output=" },
    { CW_ARG_OUTPUT, NEXT, "--output" },
    { CW_ARG_LANGUAGE, EITHER, "-x" },
    { CW_ARG_LANGUAGE, JOINED, "--language=" },
    { CW_ARG_LANGUAGE, NEXT, "--language" },
    { CW_ARG_DEPEND, WHOLE, "-MD --write-dependencies -MMD --write-user-dependencies -MP -MG" },
    { CW_ARG_DEPEND, EITHER, "-MF -MT -MQ" },
    { CW_ARG_DEPEND, JOINED, "-Wp,-M" },
    { CW_ARG_PREPROCESS, JOINED,
      "-Wp, --define-macro= --undefine-macro= --include-directory= --include=" },
    { CW_ARG_PREPROCESS, NEXT,
      "-Xpreprocessor --define-macro --undefine-macro --include-directory -include-pch "
      "--include -imultilib -imultiarch" },
    { CW_ARG_PREPROCESS, EITHER,
      "-D -U -A -I -include -imacros -isystem-after -isystem -iquote -idirafter -iframework "
      "-iprefix -iwithprefixbefore -iwithprefix -ivfsoverlay" },
    { CW_ARG_PREPROCESS, WHOLE, "-nostdinc -undef -trigraphs -traditional-cpp -H" },
    { CW_ARG_COMMENTS, WHOLE, "-C -CC -P -dD -dI -dM -dN -dU -fdirectives-only" },
    { CW_ARG_OURS, JOINED, "-Wco4- -Wno-co4- -Werror=co4- -Wno-error=co4-" },
    { CW_ARG_LATER, JOINED, "-Wl, -Wa, --entry= -fuse-ld= -save-temps=" },
    { CW_ARG_LATER, NEXT,
      "-Xlinker -Xassembler -Tbss -Tdata -Ttext -undefined -z -e -rpath -framework "
      "-install_name "
      /* of emcc */
      "--js-library --pre-js --post-js --extern-pre-js --extern-post-js --preload-file "
      "--embed-file --exclude-file --shell-file --source-map-base --memory-init-file --closure "
      "--closure-args --minify --llvm-lto --js-transform --output_eol --oformat" },
    { CW_ARG_LATER, EITHER, "-l -L -T -u -R" },
    { CW_ARG_LATER, WHOLE,
      "-shared -shared-libgcc -static -static-pie -static-libgcc -pie -no-pie -rdynamic -s -r "
      "-nostdlib -nostartfiles -nodefaultlibs -nolibc -save-temps --save-temps" },
};

/* Programs that run a compiler, like co4weave itself. */
static const char launchers[] = "ccache sccache distcc icecc";

/* ---- questions about words ------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The option that `word` is or begins with; NULL if the table has none. `length`: of its name. */
static const struct option *find_option(const char *word, size_t *length)
{
    const struct option *found = NULL;
    *length = 0;
    for (const struct option *o = options; o < options + sizeof options / sizeof *options; o++) {
        size_t n = 0;
        for (const char *name = o->names; (name = cw_next_listed(name, &n)) != NULL;) {
            bool begins = n > *length && strncmp(word, name, n) == 0;
            if (begins &&
                (word[n] == '\0' ? o->form != JOINED : o->form == JOINED || o->form == EITHER)) {
                *length = n;
                found = o;
            }
        }
    }
    return found;
}

static cw_stage stage_of(const char *word)
{
    if (strcmp(word, "-c") == 0 || strcmp(word, "--compile") == 0)
        return CW_STAGE_OBJECT;
    if (strcmp(word, "-S") == 0 || strcmp(word, "--assemble") == 0)
        return CW_STAGE_ASSEMBLY;
    if (strcmp(word, "-fsyntax-only") == 0)
        return CW_STAGE_CHECK;
    return CW_STAGE_NONE;
}

bool cw_command_is_cpp(const cw_command *command, const cw_arg *input)
{
    static const char suffixes[] = ".cc .cp .cxx .cpp .CPP .c++ .C";
    const char *compiler = base_name(command->words.items[command->compiler_words - 1]);
    const char *path = input->word;
    if (input->language != NULL)
        return strcmp(input->language, "c++") == 0;
    if (cw_ends(path, ".c"))
        return strstr(compiler, "++") != NULL;
    return cw_lists_end_of(suffixes, path);
}

/* Assembler with directives, C++ and the like: the compile command keeps their -D and -I. */
static bool is_preprocessed_too(const char *path, const char *language)
{
    static const char ready[] = ".o .a .so .s .i .ii .lo .ld";
    if (language)
        return strcmp(language, "cpp-output") != 0 && strcmp(language, "assembler") != 0;
    if (strstr(base_name(path), ".so.") != NULL || strchr(base_name(path), '.') == NULL)
        return false;
    return !cw_lists_end_of(ready, path);
}

static void note_input(cw_command *command, cw_arg *arg, const char *language)
{
    arg->value = arg->word;
    arg->language = language;
    /* it is C when -x says so, or its name does and the compiler is not a C++ one */
    const char *compiler = base_name(command->words.items[command->compiler_words - 1]);
    bool is_c = language ? strcmp(language, "c") == 0
                         : cw_ends(arg->word, ".c") && strstr(compiler, "++") == NULL;
    arg->kind = is_c ? CW_ARG_SOURCE : CW_ARG_INPUT;
    command->reads_stdin |= strcmp(arg->word, "-") == 0;
    if (arg->kind == CW_ARG_SOURCE)
        command->nsources++;
    else if (is_preprocessed_too(arg->word, language))
        command->nothers++;
}

/* Records what later decisions need from an option, besides its kind. */
static void note_option(cw_command *command, const cw_arg *arg, const char **language)
{
    const char *word = arg->word;
    switch (arg->kind) {
    case CW_ARG_STAGE:
        if (command->stage != CW_STAGE_NONE)
            command->stage = stage_of(word);
        break;
    case CW_ARG_OUTPUT:
        command->output = arg->value;
        break;
    case CW_ARG_OURS:
        command->has_ours = true;
        break;
    case CW_ARG_LANGUAGE:
        *language = arg->value && strcmp(arg->value, "none") == 0 ? NULL : arg->value;
        break;
    case CW_ARG_DEPEND:
        command->names_depfile |= cw_starts(word, "-MF") || cw_starts(word, "-Wp,-M");
        command->names_target |= cw_starts(word, "-MT") || cw_starts(word, "-MQ");
        command->writes_depfile |= cw_ends(word, "-MD") || cw_ends(word, "-MMD") ||
                                   cw_starts(word, "--write-") || cw_starts(word, "-Wp,-MD,") ||
                                   cw_starts(word, "-Wp,-MMD,");
        break;
    default:
        break;
    }
}

/* Reads the argument at `*at`, and moves `*at` past its words. */
static cw_arg read_arg(cw_command *command, char *const **at, const char **language)
{
    cw_arg arg = { .kind = CW_ARG_PLAIN, .word = *(*at)++ };
    if (arg.word[0] != '-' || arg.word[1] == '\0') {
        note_input(command, &arg, *language);
        return arg;
    }
    size_t length;
    const struct option *option = find_option(arg.word, &length);
    if (option == NULL)
        return arg;

    bool whole = arg.word[length] == '\0';
    if (whole && (option->form == NEXT || option->form == EITHER)) {
        if (**at == NULL) {
            command->is_odd = true; /* the compiler will report what is missing */
            return arg;
        }
        arg.next = arg.value = *(*at)++;
    } else if (!whole) {
        arg.value = arg.word + length;
    }
    arg.kind = option->kind;
    note_option(command, &arg, language);
    return arg;
}

void cw_command_read(cw_command *command, char *const words[])
{
    *command = (cw_command){ .stage = CW_STAGE_LINK, .compiler_words = 1 };
    for (char *const *word = words; *word; word++)
        cw_argv_add_expanded(&command->words, *word);
    if (command->words.count > 1 && cw_lists_name(launchers, base_name(command->words.items[0])))
        command->compiler_words = 2;

    command->args = cw_must(calloc(command->words.count + 1, sizeof *command->args));
    const char *language = NULL;
    for (char *const *at = command->words.items + command->compiler_words; *at;)
        command->args[command->nargs++] = read_arg(command, &at, &language);
}

void cw_command_free(cw_command *command)
{
    free(command->args);
    cw_argv_free(&command->words);
    *command = (cw_command){ 0 };
}

bool cw_command_is_passed_on(const cw_command *command)
{
    return command->is_odd || command->stage == CW_STAGE_NONE || command->nsources == 0;
}

const cw_arg *cw_command_source(const cw_command *command, size_t index)
{
    for (size_t i = 0; i < command->nargs; i++)
        if (command->args[i].kind == CW_ARG_SOURCE && index-- == 0)
            return &command->args[i];
    return NULL;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void add_compiler(const cw_command *command, cw_argv *out)
{
    for (size_t i = 0; i < command->compiler_words; i++)
        cw_argv_add(out, command->words.items[i]);
}

static void add_arg(const cw_arg *arg, cw_argv *out)
{
    cw_argv_add(out, arg->word);
    if (arg->next)
        cw_argv_add(out, arg->next);
}

/* Names explicitly the file for the dependencies, and their target. With -E the compiler would use
 * -o as the depfile, and derive the target from the source's name. */
static void add_depfile(const cw_command *command, const char *source, cw_argv *out)
{
    if (!command->writes_depfile)
        return;
    if (!command->names_depfile) {
        const char *path = command->output ? command->output : base_name(source);
        const char *dot = strrchr(base_name(path), '.');
        size_t length = dot ? (size_t)(dot - path) : strlen(path);
        char *stem = strndup(path, length);
        cw_argv_add(out, "-MF");
        cw_argv_add2(out, stem ? stem : path, ".d");
        free(stem);
    }
    if (!command->names_target && command->output) {
        cw_argv_add_all(out, "-MQ", command->output, CW_ARGV_END);
    }
}

void cw_command_preprocess(const cw_command *command, size_t index, bool color, cw_argv *out)
{
    const cw_arg *source = cw_command_source(command, index);
    add_compiler(command, out);
    if (color)
        cw_argv_add(out, "-fdiagnostics-color=always"); /* its messages go through a pipe */
    for (size_t i = 0; i < command->nargs; i++) {
        const cw_arg *arg = &command->args[i];
        if (arg->kind == CW_ARG_PLAIN || arg->kind == CW_ARG_PREPROCESS ||
            arg->kind == CW_ARG_DEPEND)
            add_arg(arg, out);
    }
    add_depfile(command, source->value, out);
    cw_argv_add(out, "-g0"); /* -g3 would leave #define lines in the text */
    cw_argv_add_all(out, "-E", "-D__CO4WEAVE__=1", CW_ARGV_END);
    if (source->language)
        cw_argv_add2(out, "-x", source->language);
    cw_argv_add(out, source->value);
}

static const char profile_flags[] = "-fprofile-use -fprofile-instr-use -fauto-profile";

/* The compiler and its options for a source as the user wrote it, with its marks. */
static void add_original(const cw_command *command, const cw_arg *source, bool color, cw_argv *out)
{
    add_compiler(command, out);
    if (color)
        cw_argv_add(out, "-fdiagnostics-color=always");
    for (size_t i = 0; i < command->nargs; i++)
        if ((command->args[i].kind == CW_ARG_PLAIN || command->args[i].kind == CW_ARG_PREPROCESS) &&
            !cw_lists_begin_of(profile_flags, command->args[i].word)) /* that is of woven code */
            add_arg(&command->args[i], out);
    if (cw_ends(source->value, ".i"))
        cw_argv_add(out, "-Wno-attributes"); /* its text has our marks, which gcc does not know */
    cw_argv_add(out, "-D__CO4WEAVE__=2");    /* mark.h */
}

static void add_source(const cw_arg *source, cw_argv *out)
{
    if (source->language)
        cw_argv_add2(out, "-x", source->language);
    cw_argv_add(out, source->value);
}

void cw_command_original(const cw_command *command, size_t index, bool color, const char *output,
                         cw_argv *out)
{
    const cw_arg *source = cw_command_source(command, index);
    add_original(command, source, color, out);
    cw_argv_add_all(out, "-c", "-o", output, CW_ARGV_END);
    add_source(source, out);
}

bool cw_command_has(const cw_command *command, const char *word)
{
    bool has = false;
    for (size_t i = 0; i < command->nargs; i++)
        has |= strcmp(command->args[i].word, word) == 0;
    return has;
}

void cw_command_messages(const cw_command *command, size_t index, bool color, const char *output,
                         cw_argv *out)
{
    const cw_arg *source = cw_command_source(command, index);
    const char *compiler = base_name(command->words.items[command->compiler_words - 1]);
    add_original(command, source, color, out);
    bool is_tcc = strstr(compiler, "tcc") != NULL; /* it has neither -S nor -fsyntax-only */
    if (!is_tcc &&
        cw_command_has(command, "-fsyntax-only")) { /* whatever stage is named after it */
        cw_argv_add(out, "-fsyntax-only");
    } else {
        /* the optimizer and the generator of code have warnings as well; with -flto they would wait
         * for the link */
        if (!is_tcc)
            cw_argv_add(out, "-fno-lto");
        cw_argv_add(out, is_tcc ? "-c" : "-S");
        cw_argv_add(out, "-o");
        cw_argv_add(out, output);
    }
    add_source(source, out);
}

bool cw_command_rereads(const cw_command *command)
{
    struct stat file;
    for (size_t i = 0; i < command->nsources; i++) {
        const char *source = cw_command_source(command, i)->value;
        if (strcmp(source, "-") != 0 && (stat(source, &file) != 0 || !S_ISREG(file.st_mode)))
            return false;
    }
    return true;
}

bool cw_command_reads_profile(const cw_command *command)
{
    bool reads = false;
    for (size_t i = 0; i < command->nargs; i++)
        reads |= cw_lists_begin_of(profile_flags, command->args[i].word);
    return reads;
}

cw_color cw_command_color(const cw_command *command)
{
    static const struct {
        const char *word;
        cw_color color;
    } flags[] = {
        { "-fdiagnostics-color", CW_COLOR_ALWAYS },
        { "-fdiagnostics-color=always", CW_COLOR_ALWAYS },
        { "-fcolor-diagnostics", CW_COLOR_ALWAYS },
        { "-fdiagnostics-color=never", CW_COLOR_NEVER },
        { "-fno-diagnostics-color", CW_COLOR_NEVER },
        { "-fno-color-diagnostics", CW_COLOR_NEVER },
        { "-fdiagnostics-color=auto", CW_COLOR_AUTO },
    };
    cw_color color = CW_COLOR_AUTO;
    for (size_t i = 0; i < command->nargs; i++)
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (command->args[i].kind == CW_ARG_PLAIN &&
                strcmp(command->args[i].word, flags[k].word) == 0)
                color = flags[k].color;
    return color;
}

void cw_command_compile(const cw_command *command, const char *const replacements[], cw_argv *out)
{
    bool all = command->nothers == 0;
    for (size_t i = 0; i < command->nsources; i++)
        all = all && replacements[i] != NULL;

    size_t source = 0;
    const char *language = NULL; /* to be restored before the next input */
    add_compiler(command, out);
    for (size_t i = 0; i < command->nargs; i++) {
        const cw_arg *arg = &command->args[i];
        bool is_done = arg->kind == CW_ARG_PREPROCESS || arg->kind == CW_ARG_DEPEND ||
                       arg->kind == CW_ARG_COMMENTS;
        const char *replacement = arg->kind == CW_ARG_SOURCE ? replacements[source++] : NULL;
        if (replacement != NULL) {
            cw_argv_add_all(out, "-x", "cpp-output", replacement, CW_ARGV_END);
            language = arg->language ? arg->language : "none";
        } else if (arg->kind != CW_ARG_OURS && (!is_done || !all)) {
            bool is_input = arg->kind == CW_ARG_SOURCE || arg->kind == CW_ARG_INPUT;
            if (language != NULL && is_input) {
                cw_argv_add_all(out, "-x", language, CW_ARGV_END);
            }
            if (is_input || arg->kind == CW_ARG_LANGUAGE)
                language = NULL;
            add_arg(arg, out);
        }
    }
}

void cw_command_as_it_was(const cw_command *command, cw_argv *out)
{
    add_compiler(command, out);
    for (size_t i = 0; i < command->nargs; i++)
        if (command->args[i].kind != CW_ARG_OURS)
            add_arg(&command->args[i], out);
}

void cw_command_check(const cw_command *command, const char *preprocessed, cw_argv *out)
{
    add_compiler(command, out);
    for (size_t i = 0; i < command->nargs; i++)
        if (command->args[i].kind == CW_ARG_PLAIN)
            add_arg(&command->args[i], out);
    /* the text still contains our marks, which gcc does not know */
    cw_argv_add_all(out, "-Wno-attributes", "-fsyntax-only", "-x", "cpp-output", preprocessed,
                    CW_ARGV_END);
}

static const char target_flags[] = "--target -target -arch -m32 -m64 -mx32 -m16";

void cw_command_ask_target(const cw_command *command, cw_argv *out)
{
    add_compiler(command, out);
    for (size_t i = 0; i < command->nargs; i++)
        if (cw_lists_begin_of(target_flags, command->args[i].word))
            add_arg(&command->args[i], out);
    cw_argv_add(out, "-dumpmachine");
}

/* Options that both compilers know and that change how declarations are read or laid out. -march
 * and the like are left out on purpose: libclang would refuse processors that only gcc knows. */
static const char meaning_flags[] =
    "-std= -ansi -fsigned-char -funsigned-char -fno-signed-char -fno-unsigned-char -fshort-enums "
    "-fno-short-enums -fshort-wchar -fno-short-wchar -fms-extensions -fgnu89-inline -fpack-struct "
    "-fblocks -ffreestanding -fno-builtin -m32 -m64 -mx32 -m16 -mlong-double- -mabi= "
    "-mms-bitfields -mno-ms-bitfields -malign-double -mfloat-abi=";

bool cw_command_has_regions(const cw_command *command)
{
    static const char flags[] = "-fopenmp -fopenacc";
    for (size_t i = 0; i < command->nargs; i++)
        if (command->args[i].kind == CW_ARG_PLAIN &&
            cw_lists_begin_of(flags, command->args[i].word))
            return true;
    return false;
}

/* Options of -g… that say how, not whether. */
static const char debug_details[] =
    "-gno- -gz -grecord- -gcolumn- -gstrict- -gas- -gvariable- -ginternal -gdescribe- -ginline- "
    "-gpubnames -gstatement- -ggnu- -gmodules -gtoggle";

bool cw_command_debugs(const cw_command *command)
{
    bool debugs = false;
    for (size_t i = 0; i < command->nargs; i++) {
        const char *word = command->args[i].word;
        if (command->args[i].kind == CW_ARG_PLAIN && cw_starts(word, "-g") &&
            !cw_lists_begin_of(debug_details, word))
            debugs = !cw_ends(word, "0"); /* -g0, -ggdb0 */
    }
    return debugs;
}

void cw_command_prefix_maps(const cw_command *command, cw_argv *out)
{
    static const char *const flags[] = { "-ffile-prefix-map=", "-fmacro-prefix-map=" };
    for (size_t i = 0; i < command->nargs; i++)
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (command->args[i].kind == CW_ARG_PLAIN && cw_starts(command->args[i].word, flags[k]))
                cw_argv_add(out, command->args[i].word + strlen(flags[k]));
}

/* Those beside it, as libco4_tls.a, need it themselves. */
static bool is_library(const char *base)
{
    static const char *const beside[] = { "_tls", "_nats", "_http", "_websocket" };
    static const char name[] = "libco4";
    bool found = cw_starts(base, name);
    for (size_t i = 0; found && i < sizeof beside / sizeof *beside; i++)
        found = !cw_starts(base + sizeof name - 1, beside[i]);
    return found;
}

const char *cw_command_library(const cw_command *command)
{
    for (size_t i = 0; i < command->nargs; i++)
        if (command->args[i].kind == CW_ARG_INPUT && is_library(base_name(command->args[i].word)))
            return command->args[i].word;
    return NULL;
}

/* ---- Emscripten's settings ------------------------------------------------------------------- */

/* The setting that begins with this word, -sNAME or -s NAME; NULL. `words`: how many it has. */
static const char *setting_at(const cw_command *command, size_t at, size_t *words)
{
    const char *word = command->args[at].word;
    *words = strcmp(word, "-s") == 0 ? 2 : 1;
    if (*words == 2)
        word = at + 1 < command->nargs ? command->args[at + 1].word : "";
    else if (cw_starts(word, "-s"))
        word += 2;
    else
        return NULL;
    return *word >= 'A' && *word <= 'Z' ? word : NULL;
}

bool cw_command_has_settings(const cw_command *command)
{
    size_t words;
    for (size_t i = 0; i < command->nargs; i++)
        if (setting_at(command, i, &words) != NULL)
            return true;
    return false;
}

size_t cw_command_switches_stacks(const cw_command *command, size_t at)
{
    size_t words;
    const char *setting = setting_at(command, at, &words);
    bool is = setting != NULL && (cw_starts(setting, "ASYNCIFY") || cw_starts(setting, "JSPI"));
    return is ? words : 0;
}

/* Names of standards that are newer than the oldest supported libclang. */
static const char *const new_standards[][2] = {
    { "-std=c23", "-std=c2x" },
    { "-std=gnu23", "-std=gnu2x" },
    { "-std=iso9899:2024", "-std=c2x" },
};

static const char riscv[] = "riscv";

/* A RISC-V compiler can also build for 32 bits, by -mabi=, but always reports 64. */
static void add_target(const cw_command *command, const char *triple, cw_argv *out)
{
    static const char wide[] = "riscv64", narrow[] = "--target=riscv32";
    bool is_narrow = false;
    for (size_t i = 0; i < command->nargs; i++)
        if (cw_starts(command->args[i].word, "-mabi="))
            is_narrow = cw_starts(command->args[i].word, "-mabi=ilp32");
    if (is_narrow && cw_starts(triple, wide))
        cw_argv_add2(out, narrow, triple + strlen(wide));
    else
        cw_argv_add2(out, "--target=", triple);
}

void cw_command_parse_args(const cw_command *command, const char *triple, cw_argv *out)
{
    if (triple != NULL)
        add_target(command, triple, out);
    for (size_t i = 0; i < command->nargs; i++) {
        const char *word = command->args[i].word;
        if (command->args[i].kind != CW_ARG_PLAIN || !cw_lists_begin_of(meaning_flags, word))
            continue;
        if (triple != NULL && cw_starts(triple, riscv) && cw_starts(word, "-mabi="))
            continue; /* it also needs such a processor, besides the width */
        for (size_t k = 0; k < sizeof new_standards / sizeof new_standards[0]; k++)
            if (strcmp(word, new_standards[k][0]) == 0)
                word = new_standards[k][1];
        cw_argv_add(out, word);
    }
}
