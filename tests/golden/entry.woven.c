# 1 "entry.c"
/* entry.c - entry points take a call and keep its arguments. */
# 3 "entry.c"
 void work__co4(co4_fiber *, const char *name, double x);
co4_task *begin(co4_runtime *rt);
# 4 "entry.c"
__attribute__((__noinline__)) static void work__run(const char *co4_a1, double co4_a2) { co4_fiber *co4 = co4_abi_run_begin(); if (co4 == 0) { co4_abi_run_lost(0, "work"); return; } work__co4(co4, co4_a1, co4_a2); if (co4_abi_pausing(co4)) { if (co4_abi_run_drive(co4) != 0) { co4_abi_run_lost(co4, "work"); } } co4_abi_run_end(co4); }
# 7 "entry.c"
struct work__call { /* a call of work() that has not begun */
    co4_frame head;
    const char *co4_a1;
    double co4_a2;
};
# 4 "entry.c"
static void work__start(co4_fiber *co4, co4_frame *co4_head) { struct work__call *co4_c = (struct work__call *)(void *)co4_head; const char *co4_a1 = co4_c->co4_a1; double co4_a2 = co4_c->co4_a2; co4_abi_frame_drop(co4, co4_c); work__co4(co4, co4_a1, co4_a2); }
struct work__call_func { co4_abi_func func; co4_abi_point points[1]; };
static const struct work__call_func work__call_func;
static const struct work__call_func work__call_func = { { sizeof(struct work__call), CO4_ABI_MADE | (_Alignof(struct work__call) > 8 ? CO4_ABI_ALIGNED : 0), "work", 0, 0 }, { { work__start, 0 } } };
# 4 "entry.c"
__attribute__((__warn_unused_result__)) static struct co4_task *work__kept(struct co4_runtime *co4_rt, const char *co4_a1, double co4_a2) { struct work__call *co4_c = (struct work__call *)co4_abi_call_take(&work__call_func.func); if (co4_c != 0) { co4_c->co4_a1 = co4_a1; co4_c->co4_a2 = co4_a2; } return co4_abi_start(co4_rt, co4_c); }
# 7 "entry.c"
co4_task *begin(co4_runtime *rt)
{
    work__run("here", 1);
    co4_task_release(work__kept((struct co4_runtime *)0, "there", 2));
    return work__kept((rt), "elsewhere", 3);
}
