# 1 "pinned.c"
/* pinned.c - a local whose address escapes lives in the frame from the start. */
# 3 "pinned.c"
 int receive__co4(co4_fiber *, co4_mailbox *mb, int n);
struct receive__frame { /* pinned.c:6 receive() */
    co4_frame head;
    co4_mailbox *mb; /* parameter */
    int n; /* parameter */
    int sum; /* local */
    int message; /* local, pinned: its address is taken */
};
_Static_assert(sizeof(struct receive__frame) == 40, "co4weave: the frame of receive has another size; "
               "was this text woven for another target?");
struct receive__func { co4_abi_func func; co4_abi_point points[2]; };
static const struct receive__func receive__func;
# 6 "pinned.c"
int receive__co4(co4_fiber *co4, co4_mailbox *mb, int n);
# 6 "pinned.c"
static __inline__ __attribute__((always_inline)) int receive(co4_fiber *co4, struct receive__frame *co4_f, const int co4_resumed, co4_mailbox *mb, int n)
# 7 "pinned.c"
{
# 6 "pinned.c"
if (co4_resumed) switch (co4_f->head.at->id) { case 1: goto co4_resume_1; default: __builtin_unreachable(); }
# 7 "pinned.c"
    int sum = 0;
    while (n-- > 0) {
# 10 "pinned.c"
        { int co4_t1;
# 11 "pinned.c"
co4_t1 = co4_mailbox_receive__co4(co4, (mb), (&co4_f->message), (__extension__ sizeof *(&co4_f->message)));
# 11 "pinned.c"
if (__builtin_expect(co4_abi_pausing(co4), 0)) { /* point 1 */ if ((co4_f = co4_abi_save(co4, co4_f, &receive__func.points[1])) != 0) { if (!co4_resumed) co4_f->mb = mb; co4_f->n = n; co4_f->sum = sum; } return 0;
# 6 "pinned.c"
co4_resume_1:; mb = co4_f->mb; n = co4_f->n; sum = co4_f->sum; co4_t1 = *(int *)co4_abi_result_of(co4); }
# 11 "pinned.c"
if (co4_t1 != CO4_OK)
            break; }
        sum += co4_f->message;
    }
    return sum;
}
# 6 "pinned.c"
int receive__co4(co4_fiber *co4, co4_mailbox *mb, int n)
# 6 "pinned.c"
{ struct receive__frame *co4_f = co4_abi_frame_take(co4, &receive__func.func); if (co4_f == 0) return 0; int co4_r = receive(co4, co4_f, 0, mb, n); if (!co4_abi_pausing(co4)) co4_abi_frame_drop(co4, co4_f); return co4_r; }
# 6 "pinned.c"
static void receive__resume(co4_fiber *co4, co4_frame *co4_head) { int co4_r = receive(co4, (struct receive__frame *)(void *)co4_head, 1, 0, 0); if (co4_abi_pausing(co4)) return; co4_abi_frame_drop(co4, co4_head); *(int *)co4_abi_result_of(co4) = co4_r; }
static const co4_abi_site receive__sites[] = {
    { 11, 8, 1 },
};
static const unsigned short receive__live[] = { 0, 4, 0, 1, 2, 3 };
static const co4_abi_field receive__fields[] = {
    { 28, 31, 16, 8, 0, 6 },
    { 45, 47, 24, 4, 0, 6 },
    { 51, 47, 28, 4, 0, 8 },
    { 55, 47, 32, 4, 1, 10 },
};
static const struct { char n0[8]; char n1[20]; char n2[3]; char n3[14]; char n4[2]; char n5[4]; char n6[4]; char n7[8]; } receive__text = { "receive", "co4_mailbox_receive", "mb", "co4_mailbox *", "n", "int", "sum", "message" };
static const co4_abi_info receive__info = { "pinned.c", 6, 1, receive__sites, receive__fields, receive__live, 4 };
static const struct receive__func receive__func = { { sizeof(struct receive__frame), sizeof(int) | (_Alignof(struct receive__frame) > 8 ? CO4_ABI_ALIGNED : 0), receive__text.n0, &receive__info, 0 },
    { { receive__resume, 0 }, { receive__resume, 1 } }
};
