/* codes.c - the texts of this library's codes. */
#include <stdatomic.h>

#include "jetstream.h"
#include "remote.h"

static const char *text_of(int code)
{
    static const struct {
        int code;
        const char *text;
    } texts[] = {
        { CO4_NATS_ENORESPONDERS, "nobody has subscribed to the subject of the request" },
        { CO4_NATS_EDISCONNECTED, "the connection was lost" },
        { CO4_NATS_ECONNECT, "no server could be reached, or none has room" },
        { CO4_NATS_EAUTH, "the server refuses the user, or does not permit it" },
        { CO4_NATS_EPROTOCOL, "the server breaks the rules of NATS, or refuses a message" },
        { CO4_NATS_ETOOBIG, "the message is larger than the server takes" },
        { CO4_NATS_ETLS, "no secure connection" },
        { CO4_NATS_ESTALE, "the server has not answered for long" },
        { CO4_NATS_ECREDENTIALS, "the file of credentials cannot be read, or makes no sense" },
        { CO4_NATS_ENOTFOUND, "no such stream, consumer or message" },
        { CO4_NATS_EEXISTS, "it is there, with other options" },
        { CO4_NATS_ECONFLICT, "another message has come before" },
        { CO4_NATS_EREFUSED, "the server refuses" },
        { CO4_NATS_ENOSTORE, "the store is full, or the server has none" },
        { CO4_NATS_ESERVICE, "the service answers with an error" },
        { CO4_NATS_EBUSY, "the service is busy, and has refused the request" },
        { CO4_NATS_EGONE, "nothing comes from it any more" },
        { CO4_NATS_ESIZE, "the message, or the answer, has another size" },
        { CO4_NATS_EMAGIC, "no struct" },
        { CO4_NATS_EORDER, "a struct from a machine with another order of bytes" },
        { CO4_NATS_EKIND, "a struct of another name" },
        { CO4_NATS_EVERSION, "another version of the struct" },
        { CO4_NATS_ELENGTH, "the struct has another size" },
        { CO4_NATS_ELAYOUT, "the struct's fields are elsewhere" },
        { CO4_NATS_ECHECK, "the struct's bytes have changed" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].code == code)
            return texts[i].text;
    return NULL;
}

int co4__nats_code(int code)
{
    static co4_error_texts texts = { CO4_NATS_ECHECK, CO4_NATS_ENORESPONDERS, text_of, { NULL } };
    static atomic_flag added = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&added))
        co4_error_add(&texts);
    return code;
}
