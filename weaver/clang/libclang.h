/* libclang.h - libclang, loaded when the first unit is parsed.
 *
 * Loading libclang takes longer than all other work on a file that uses nothing pausable, and most
 * files of a program are such. So it is not linked. The names below denote pointers; a function
 * that is missing from the list does not link. */
#ifndef CW_CLANG_LIBCLANG_H
#define CW_CLANG_LIBCLANG_H

#include <clang-c/Index.h>

#include "base/types.h"

/* clang-format off */
#define LOAD_LIBCLANG_FUNCTIONS(X) \
    X(clang_Cursor_Evaluate) X(clang_Cursor_getArgument) X(clang_Cursor_getNumArguments) \
    X(clang_Cursor_getMangling) X(clang_Cursor_getStorageClass) \
    X(clang_Cursor_getVarDeclInitializer) X(clang_Cursor_isNull) \
    X(clang_EvalResult_dispose) X(clang_EvalResult_getAsLongLong) X(clang_EvalResult_getKind) \
    X(clang_TargetInfo_dispose) X(clang_TargetInfo_getPointerWidth) X(clang_Type_getAlignOf) \
    X(clang_Type_getModifiedType) X(clang_Type_getNamedType) X(clang_Type_getSizeOf) \
    X(clang_Type_getValueType) X(clang_Type_visitFields) X(clang_createIndex) \
    X(clang_disposeDiagnostic) X(clang_disposeIndex) X(clang_disposeString) \
    X(clang_disposeTranslationUnit) X(clang_equalCursors) X(clang_equalTypes) \
    X(clang_getArgType) X(clang_getArrayElementType) X(clang_getArraySize) X(clang_getCString) \
    X(clang_getCanonicalCursor) X(clang_getCanonicalType) X(clang_getCursor) \
    X(clang_getCursorDefinition) X(clang_getCursorDisplayName) X(clang_getCursorExtent) \
    X(clang_getCursorKind) X(clang_getCursorLocation) X(clang_getCursorReferenced) \
    X(clang_getCursorSpelling) X(clang_getCursorTLSKind) X(clang_getCursorType) \
    X(clang_getDiagnostic) X(clang_getDiagnosticLocation) X(clang_getDiagnosticSeverity) \
    X(clang_getDiagnosticSpelling) X(clang_getEnumDeclIntegerType) X(clang_getFile) \
    X(clang_getFileLocation) X(clang_getInclusions) X(clang_getLocationForOffset) \
    X(clang_getNumArgTypes) X(clang_getNumDiagnostics) X(clang_getPointeeType) \
    X(clang_getRangeEnd) X(clang_getRangeStart) X(clang_getResultType) \
    X(clang_getTranslationUnitCursor) X(clang_getTranslationUnitTargetInfo) \
    X(clang_getTypeDeclaration) X(clang_getTypeSpelling) X(clang_getTypedefDeclUnderlyingType) \
    X(clang_hashCursor) X(clang_isConstQualifiedType) X(clang_isCursorDefinition) \
    X(clang_isDeclaration) X(clang_isExpression) X(clang_isFunctionTypeVariadic) \
    X(clang_isRestrictQualifiedType) X(clang_isStatement) X(clang_isVolatileQualifiedType) \
    X(clang_parseTranslationUnit2) X(clang_visitChildren)
/* clang-format on */

typedef struct load_libclang_functions {
#define X(name) __typeof__(name) *name##_;
    LOAD_LIBCLANG_FUNCTIONS(X)
#undef X
} load_libclang_functions;

extern load_libclang_functions load_libclang;

/* Loads libclang; called before its first use. Returns false if that fails, and sets `why` to the
 * system's reason. */
bool load_libclang_open(const char **why);

/* `#define clang_createIndex load_libclang.clang_createIndex_` for each: the build makes it. */
#include "libclang_names.inc"

#endif
