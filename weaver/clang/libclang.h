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
    X(clang_Cursor_Evaluate)                   \
    X(clang_Cursor_getArgument)                \
    X(clang_Cursor_getNumArguments)            \
    X(clang_Cursor_getStorageClass)            \
    X(clang_Cursor_getVarDeclInitializer)      \
    X(clang_Cursor_isNull)                     \
    X(clang_EvalResult_dispose)                \
    X(clang_EvalResult_getAsLongLong)          \
    X(clang_EvalResult_getKind)                \
    X(clang_TargetInfo_dispose)                \
    X(clang_TargetInfo_getPointerWidth)        \
    X(clang_Type_getAlignOf)                   \
    X(clang_Type_getModifiedType)              \
    X(clang_Type_getNamedType)                 \
    X(clang_Type_getSizeOf)                    \
    X(clang_Type_getValueType)                 \
    X(clang_Type_visitFields)                  \
    X(clang_createIndex)                       \
    X(clang_disposeDiagnostic)                 \
    X(clang_disposeIndex)                      \
    X(clang_disposeString)                     \
    X(clang_disposeTranslationUnit)            \
    X(clang_equalCursors)                      \
    X(clang_equalTypes)                        \
    X(clang_getArgType)                        \
    X(clang_getArrayElementType)               \
    X(clang_getArraySize)                      \
    X(clang_getCString)                        \
    X(clang_getCanonicalCursor)                \
    X(clang_getCanonicalType)                  \
    X(clang_getCursor)                         \
    X(clang_getCursorDefinition)               \
    X(clang_getCursorDisplayName)              \
    X(clang_getCursorExtent)                   \
    X(clang_getCursorKind)                     \
    X(clang_getCursorLocation)                 \
    X(clang_getCursorReferenced)               \
    X(clang_getCursorSpelling)                 \
    X(clang_getCursorTLSKind)                  \
    X(clang_getCursorType)                     \
    X(clang_getDiagnostic)                     \
    X(clang_getDiagnosticLocation)             \
    X(clang_getDiagnosticSeverity)             \
    X(clang_getDiagnosticSpelling)             \
    X(clang_getEnumDeclIntegerType)            \
    X(clang_getFile)                           \
    X(clang_getFileLocation)                   \
    X(clang_getInclusions)                     \
    X(clang_getLocationForOffset)              \
    X(clang_getNumArgTypes)                    \
    X(clang_getNumDiagnostics)                 \
    X(clang_getPointeeType)                    \
    X(clang_getRangeEnd)                       \
    X(clang_getRangeStart)                     \
    X(clang_getResultType)                     \
    X(clang_getTranslationUnitCursor)          \
    X(clang_getTranslationUnitTargetInfo)      \
    X(clang_getTypeDeclaration)                \
    X(clang_getTypeSpelling)                   \
    X(clang_getTypedefDeclUnderlyingType)      \
    X(clang_hashCursor)                        \
    X(clang_isConstQualifiedType)              \
    X(clang_isCursorDefinition)                \
    X(clang_isDeclaration)                     \
    X(clang_isExpression)                      \
    X(clang_isFunctionTypeVariadic)            \
    X(clang_isRestrictQualifiedType)           \
    X(clang_isStatement)                       \
    X(clang_isVolatileQualifiedType)           \
    X(clang_parseTranslationUnit2)             \
    X(clang_visitChildren)
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

#define clang_Cursor_Evaluate              load_libclang.clang_Cursor_Evaluate_
#define clang_Cursor_getArgument           load_libclang.clang_Cursor_getArgument_
#define clang_Cursor_getNumArguments       load_libclang.clang_Cursor_getNumArguments_
#define clang_Cursor_getStorageClass       load_libclang.clang_Cursor_getStorageClass_
#define clang_Cursor_getVarDeclInitializer load_libclang.clang_Cursor_getVarDeclInitializer_
#define clang_Cursor_isNull                load_libclang.clang_Cursor_isNull_
#define clang_EvalResult_dispose           load_libclang.clang_EvalResult_dispose_
#define clang_EvalResult_getAsLongLong     load_libclang.clang_EvalResult_getAsLongLong_
#define clang_EvalResult_getKind           load_libclang.clang_EvalResult_getKind_
#define clang_TargetInfo_dispose           load_libclang.clang_TargetInfo_dispose_
#define clang_TargetInfo_getPointerWidth   load_libclang.clang_TargetInfo_getPointerWidth_
#define clang_Type_getAlignOf              load_libclang.clang_Type_getAlignOf_
#define clang_Type_getModifiedType         load_libclang.clang_Type_getModifiedType_
#define clang_Type_getNamedType            load_libclang.clang_Type_getNamedType_
#define clang_Type_getSizeOf               load_libclang.clang_Type_getSizeOf_
#define clang_Type_getValueType            load_libclang.clang_Type_getValueType_
#define clang_Type_visitFields             load_libclang.clang_Type_visitFields_
#define clang_createIndex                  load_libclang.clang_createIndex_
#define clang_disposeDiagnostic            load_libclang.clang_disposeDiagnostic_
#define clang_disposeIndex                 load_libclang.clang_disposeIndex_
#define clang_disposeString                load_libclang.clang_disposeString_
#define clang_disposeTranslationUnit       load_libclang.clang_disposeTranslationUnit_
#define clang_equalCursors                 load_libclang.clang_equalCursors_
#define clang_equalTypes                   load_libclang.clang_equalTypes_
#define clang_getArgType                   load_libclang.clang_getArgType_
#define clang_getArrayElementType          load_libclang.clang_getArrayElementType_
#define clang_getArraySize                 load_libclang.clang_getArraySize_
#define clang_getCString                   load_libclang.clang_getCString_
#define clang_getCanonicalCursor           load_libclang.clang_getCanonicalCursor_
#define clang_getCanonicalType             load_libclang.clang_getCanonicalType_
#define clang_getCursor                    load_libclang.clang_getCursor_
#define clang_getCursorDefinition          load_libclang.clang_getCursorDefinition_
#define clang_getCursorDisplayName         load_libclang.clang_getCursorDisplayName_
#define clang_getCursorExtent              load_libclang.clang_getCursorExtent_
#define clang_getCursorKind                load_libclang.clang_getCursorKind_
#define clang_getCursorLocation            load_libclang.clang_getCursorLocation_
#define clang_getCursorReferenced          load_libclang.clang_getCursorReferenced_
#define clang_getCursorSpelling            load_libclang.clang_getCursorSpelling_
#define clang_getCursorTLSKind             load_libclang.clang_getCursorTLSKind_
#define clang_getCursorType                load_libclang.clang_getCursorType_
#define clang_getDiagnostic                load_libclang.clang_getDiagnostic_
#define clang_getDiagnosticLocation        load_libclang.clang_getDiagnosticLocation_
#define clang_getDiagnosticSeverity        load_libclang.clang_getDiagnosticSeverity_
#define clang_getDiagnosticSpelling        load_libclang.clang_getDiagnosticSpelling_
#define clang_getEnumDeclIntegerType       load_libclang.clang_getEnumDeclIntegerType_
#define clang_getFile                      load_libclang.clang_getFile_
#define clang_getFileLocation              load_libclang.clang_getFileLocation_
#define clang_getInclusions                load_libclang.clang_getInclusions_
#define clang_getLocationForOffset         load_libclang.clang_getLocationForOffset_
#define clang_getNumArgTypes               load_libclang.clang_getNumArgTypes_
#define clang_getNumDiagnostics            load_libclang.clang_getNumDiagnostics_
#define clang_getPointeeType               load_libclang.clang_getPointeeType_
#define clang_getRangeEnd                  load_libclang.clang_getRangeEnd_
#define clang_getRangeStart                load_libclang.clang_getRangeStart_
#define clang_getResultType                load_libclang.clang_getResultType_
#define clang_getTranslationUnitCursor     load_libclang.clang_getTranslationUnitCursor_
#define clang_getTranslationUnitTargetInfo load_libclang.clang_getTranslationUnitTargetInfo_
#define clang_getTypeDeclaration           load_libclang.clang_getTypeDeclaration_
#define clang_getTypeSpelling              load_libclang.clang_getTypeSpelling_
#define clang_getTypedefDeclUnderlyingType load_libclang.clang_getTypedefDeclUnderlyingType_
#define clang_hashCursor                   load_libclang.clang_hashCursor_
#define clang_isConstQualifiedType         load_libclang.clang_isConstQualifiedType_
#define clang_isCursorDefinition           load_libclang.clang_isCursorDefinition_
#define clang_isDeclaration                load_libclang.clang_isDeclaration_
#define clang_isExpression                 load_libclang.clang_isExpression_
#define clang_isFunctionTypeVariadic       load_libclang.clang_isFunctionTypeVariadic_
#define clang_isRestrictQualifiedType      load_libclang.clang_isRestrictQualifiedType_
#define clang_isStatement                  load_libclang.clang_isStatement_
#define clang_isVolatileQualifiedType      load_libclang.clang_isVolatileQualifiedType_
#define clang_parseTranslationUnit2        load_libclang.clang_parseTranslationUnit2_
#define clang_visitChildren                load_libclang.clang_visitChildren_

#endif
