/* co4/nats_struct.h - structs as messages: with a header that says what they are.
 *
 *     struct job {
 *         int32_t id;
 *         char name[20];
 *         double weight;
 *     };
 *     static const co4_nats_field job_fields[] = { CO4_NATS_FIELD(struct job, id),
 *                                                  CO4_NATS_FIELD(struct job, name),
 *                                                  CO4_NATS_FIELD(struct job, weight) };
 *     static const co4_nats_layout job_layout = CO4_NATS_LAYOUT(struct job, 1, job_fields);
 *     …
 *     char bytes[CO4_NATS_STRUCT_BYTES(struct job)];
 *     err = co4_nats_encode(&job_layout, &job, bytes, sizeof bytes);
 *     err = co4_remote_tell(&worker, bytes, sizeof bytes, co4_now() + CO4_SEC);
 *     …
 *     err = co4_nats_decode(&job_layout, m->data, m->size, &job);
 *
 * The bytes are those of the machine's memory. Decoding refuses what another machine, another
 * version of a program or a fault has made of them, and says which of these it was. It translates
 * nothing: for that there are formats such as JSON, and docs/samples/nats_json.c.
 *
 * Of a struct with fields only these are sent, and the bytes between them are zero. Without fields
 * all of its bytes are sent, whatever is between the members. Pointers make no sense elsewhere. */
#ifndef CO4_NATS_STRUCT_H
#define CO4_NATS_STRUCT_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "must_use.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Codes of co4_nats_decode(), in the order in which it looks. */
#define CO4_NATS_EMAGIC   (-2131) /* no struct of co4_nats_encode() */
#define CO4_NATS_EORDER   (-2132) /* from a machine with another order of bytes */
#define CO4_NATS_EKIND    (-2133) /* a struct of another name */
#define CO4_NATS_EVERSION (-2134) /* another version of it */
#define CO4_NATS_ELENGTH  (-2135) /* another size, or cut off */
#define CO4_NATS_ELAYOUT  (-2136) /* its fields are elsewhere */
#define CO4_NATS_ECHECK   (-2137) /* the bytes have changed */

/* A member of a struct. */
typedef struct co4_nats_field {
    const char *name;
    size_t at, size;
} co4_nats_field;
#define CO4_NATS_FIELD(type, member)                                                               \
    {                                                                                              \
#member, offsetof(type, member), sizeof(((type *)0)->member)                               \
    }

/* What both sides have to agree on. */
typedef struct co4_nats_layout {
    const char *name;
    uint16_t version; /* which changes with the meaning of a field */
    size_t size;
    const co4_nats_field *fields; /* or NULL */
    size_t count;
} co4_nats_layout;
#define CO4_NATS_LAYOUT(type, version_, fields_)                                                   \
    {                                                                                              \
#type, (version_), sizeof(type), (fields_), sizeof(fields_) / sizeof *(fields_)            \
    }
/* Without fields: for a struct that has no bytes between its members. */
#define CO4_NATS_LAYOUT_WHOLE(type, version_)                                                      \
    {                                                                                              \
#type, (version_), sizeof(type), NULL, 0                                                   \
    }

/* Bytes of the header, and of a message. */
#define CO4_NATS_STRUCT_HEADER      24
#define CO4_NATS_STRUCT_BYTES(type) (CO4_NATS_STRUCT_HEADER + sizeof(type))

/* Unless a function says otherwise:
 *
 * Blocks: never.
 * Thread safety: any task and thread.
 * Ownership: what is passed stays the caller's.
 * Since: 0.2. */

/* Writes a message of layout->size + CO4_NATS_STRUCT_HEADER bytes.
 *
 * Returns: CO4_OK; CO4_EFULL: `room` is less; CO4_EINVAL for NULL, a size of 0 or 2^32, and fields
 *     that are not within the struct. */
CO4_MUST_USE int co4_nats_encode(const co4_nats_layout *layout, const void *value, void *out,
                                 size_t room);

/* Reads a message. After an error *value is as it was.
 *
 * Returns: CO4_OK; one of the codes above; CO4_EINVAL as for co4_nats_encode(). */
CO4_MUST_USE int co4_nats_decode(const co4_nats_layout *layout, const void *data, size_t size,
                                 void *value);

/* The version in a message of that name and this machine's order of bytes: for a receiver that
 * knows several.
 *
 * Returns: the version; a code: EMAGIC, EORDER, EKIND; CO4_EINVAL. */
int co4_nats_version(const char *name, const void *data, size_t size);

#ifdef __cplusplus
}
#endif

#endif
