/* atomic_calls.h - instrumented.c includes this once for each width: BITS, and the TYPE of an
 * object. All operations are made in one order, whatever theirs is. */

#define CALL_OF(bits, name)  __tsan_atomic##bits##_##name
#define CALL_FOR(bits, name) CALL_OF(bits, name)
#define CALL(name)           CALL_FOR(BITS, name)

TYPE CALL(load)(const volatile TYPE *at, int order);
TYPE CALL(load)(const volatile TYPE *at, int order)
{
    co4__race_access((const void *)at, sizeof *at, CO4__ACCESS_ATOMIC, HERE);
    co4__race_load((const void *)at, ORDER(order));
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

void CALL(store)(volatile TYPE *at, TYPE value, int order);
void CALL(store)(volatile TYPE *at, TYPE value, int order)
{
    co4__race_access((const void *)at, sizeof *at, CO4__ACCESS_ATOMIC | CO4__ACCESS_WRITES, HERE);
    co4__race_store((const void *)at, ORDER(order));
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}

TYPE CALL(exchange)(volatile TYPE *at, TYPE value, int order);
TYPE CALL(exchange)(volatile TYPE *at, TYPE value, int order)
{
    updates((const void *)at, sizeof *at, order, HERE);
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
}

TYPE CALL(fetch_add)(volatile TYPE *at, TYPE value, int order);
TYPE CALL(fetch_add)(volatile TYPE *at, TYPE value, int order)
{
    updates((const void *)at, sizeof *at, order, HERE);
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
}

TYPE CALL(fetch_sub)(volatile TYPE *at, TYPE value, int order);
TYPE CALL(fetch_sub)(volatile TYPE *at, TYPE value, int order)
{
    updates((const void *)at, sizeof *at, order, HERE);
    return __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST);
}

TYPE CALL(fetch_and)(volatile TYPE *at, TYPE value, int order);
TYPE CALL(fetch_and)(volatile TYPE *at, TYPE value, int order)
{
    updates((const void *)at, sizeof *at, order, HERE);
    return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);
}

TYPE CALL(fetch_or)(volatile TYPE *at, TYPE value, int order);
TYPE CALL(fetch_or)(volatile TYPE *at, TYPE value, int order)
{
    updates((const void *)at, sizeof *at, order, HERE);
    return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);
}

TYPE CALL(fetch_xor)(volatile TYPE *at, TYPE value, int order);
TYPE CALL(fetch_xor)(volatile TYPE *at, TYPE value, int order)
{
    updates((const void *)at, sizeof *at, order, HERE);
    return __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST);
}

TYPE CALL(fetch_nand)(volatile TYPE *at, TYPE value, int order);
TYPE CALL(fetch_nand)(volatile TYPE *at, TYPE value, int order)
{
    updates((const void *)at, sizeof *at, order, HERE);
    return __atomic_fetch_nand(at, value, __ATOMIC_SEQ_CST);
}

int CALL(compare_exchange_strong)(volatile TYPE *at, TYPE *expected, TYPE value, int order,
                                  int failed);
int CALL(compare_exchange_strong)(volatile TYPE *at, TYPE *expected, TYPE value, int order,
                                  int failed)
{
    int made = __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST,
                                           __ATOMIC_SEQ_CST);
    compares((const void *)at, sizeof *at, made ? order : failed, made, HERE);
    return made;
}

int CALL(compare_exchange_weak)(volatile TYPE *at, TYPE *expected, TYPE value, int order,
                                int failed);
int CALL(compare_exchange_weak)(volatile TYPE *at, TYPE *expected, TYPE value, int order,
                                int failed)
{
    int made = __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST,
                                           __ATOMIC_SEQ_CST);
    compares((const void *)at, sizeof *at, made ? order : failed, made, HERE);
    return made;
}

TYPE CALL(compare_exchange_val)(volatile TYPE *at, TYPE expected, TYPE value, int order,
                                int failed);
TYPE CALL(compare_exchange_val)(volatile TYPE *at, TYPE expected, TYPE value, int order, int failed)
{
    (void)failed;
    updates((const void *)at, sizeof *at, order, HERE);
    __atomic_compare_exchange_n(at, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

#undef CALL
#undef CALL_FOR
#undef CALL_OF
#undef BITS
#undef TYPE
