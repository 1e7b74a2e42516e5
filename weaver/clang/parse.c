/* parse.c - the parse of a text, with definitions for words of gcc's headers that clang lacks. */
#include <string.h>

#include "text/unit.h"
#include "clang/loader.h"

/* The type that clang calls _Float128. Where `long double` has fewer bits, the type has another
 * name, which gcc also knows: woven code uses that. */
static const char *quad_type(const cw_options *options)
{
    static const char *const narrow[] = { "x86_64", "i386", "i486", "i586", "i686" };
    static const char flag[] = "--target=";
    for (size_t i = 0; i < options->nparse_args; i++)
        for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++)
            if (strncmp(options->parse_args[i], flag, sizeof flag - 1) == 0 &&
                strncmp(options->parse_args[i] + sizeof flag - 1, narrow[k], strlen(narrow[k])) ==
                    0)
                return "-D_Float128=__float128";
    return "-D_Float128=long double";
}

CXTranslationUnit load_parse(cw_unit *unit, CXIndex index, const char *text, size_t length)
{
    /* Definitions for words in gcc's headers that clang does not know. */
    static const char *const compatible[] = {
        "-xc",
        "-w",
        "-ferror-limit=0",
        "-fbracket-depth=1000000", /* gcc has no limit */
        "-fno-color-diagnostics",
        "-undef",
        "-Wno-implicit-function-declaration",
        "-Wno-int-conversion",
        "-Wno-implicit-int",
        "-Wno-incompatible-pointer-types",
        "-Wno-incompatible-function-pointer-types",
        "-Wno-return-type",
        "-Wno-return-mismatch",
        "-D__malloc__(...)=",
        "-D_Float64x=long double",
        "-D_Float32x=double",
        "-D_Float64=double",
        "-D_Float32=float",
    };
    size_t fixed = sizeof compatible / sizeof *compatible, count = 0;
    const char **args = cw_alloc(&unit->arena,
                                 (fixed + unit->options->nparse_args + 2) * sizeof *args);
    for (size_t i = 0; i < fixed; i++)
        args[count++] = compatible[i];
    if (strstr(text, "co4_abi_enums_are_short") !=
        NULL) /* the command's own option comes later and wins */
        args[count++] = "-fshort-enums";
    for (size_t i = 0; i < unit->options->nparse_args; i++)
        args[count++] = unit->options->parse_args[i];
    args[count++] = quad_type(unit->options);
    struct CXUnsavedFile file = { "co4weave-unit.c", text, length };
    CXTranslationUnit tu = NULL;
    enum CXErrorCode code = clang_parseTranslationUnit2(index, file.Filename, args, (int)count,
                                                        &file, 1, CXTranslationUnit_None, &tu);
    return code == CXError_Success ? tu : NULL;
}
