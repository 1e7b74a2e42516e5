/* codes.c - the texts of this library's codes. */
#include <pthread.h>

#include "public.h"

static const co4_error_text all[] = {
#define ROW(code, text)                                                                            \
    {                                                                                              \
        code, #code, text                                                                          \
    }
    ROW(CO4_NATS_ENORESPONDERS, "nobody has subscribed to the subject of the request"),
    ROW(CO4_NATS_EDISCONNECTED, "the connection was lost"),
    ROW(CO4_NATS_ECONNECT, "no server could be reached, or none has room"),
    ROW(CO4_NATS_EAUTH, "the server refuses the user, or does not permit it"),
    ROW(CO4_NATS_EPROTOCOL, "the server breaks the rules of NATS, or refuses a message"),
    ROW(CO4_NATS_ETOOBIG, "the message is larger than the server takes"),
    ROW(CO4_NATS_ETLS, "no secure connection"),
    ROW(CO4_NATS_ESTALE, "the server has not answered for long"),
    ROW(CO4_NATS_ECREDENTIALS, "the file of credentials cannot be read, or makes no sense"),
    ROW(CO4_NATS_ENOTFOUND, "no such stream, consumer or message"),
    ROW(CO4_NATS_EEXISTS, "it is there, with other options"),
    ROW(CO4_NATS_ECONFLICT, "another message has come before"),
    ROW(CO4_NATS_EREFUSED, "the server refuses"),
    ROW(CO4_NATS_ENOSTORE, "the store is full, or the server has none"),
    ROW(CO4_NATS_ESERVICE, "the service answers with an error"),
    ROW(CO4_NATS_EBUSY, "the service is busy, and has refused the request"),
    ROW(CO4_NATS_EGONE, "nothing comes from it any more"),
    ROW(CO4_NATS_ESIZE, "the message, or the answer, has another size"),
    ROW(CO4_NATS_EMAGIC, "no struct"),
    ROW(CO4_NATS_EORDER, "a struct from a machine with another order of bytes"),
    ROW(CO4_NATS_EKIND, "a struct of another name"),
    ROW(CO4_NATS_EVERSION, "another version of the struct"),
    ROW(CO4_NATS_ELENGTH, "the struct has another size"),
    ROW(CO4_NATS_ELAYOUT, "the struct's fields are elsewhere"),
    ROW(CO4_NATS_ECHECK, "the struct's bytes have changed"),
#undef ROW
};

static void add_codes(void)
{
    static co4_error_texts texts = { all, sizeof all / sizeof *all, { NULL } };
    co4_error_add(&texts);
}

int co4__nats_code(int code)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_codes);
    return code;
}
