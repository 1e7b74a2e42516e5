/* mps2_an385.c - Arm's MPS2 board with a Cortex-M3, as qemu has it: SysTick, one UART, a light, an
 * end by semihosting.
 *
 * There is no C library in it beyond memcpy and memset: this file is all that runs before main. */
#include "board.h"

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYSTICK_CONTROL   REGISTER(0xe000e010)
#define SYSTICK_RELOAD    REGISTER(0xe000e014)
#define SYSTICK_VALUE     REGISTER(0xe000e018)
#define UART_DATA         REGISTER(0x40004000)
#define UART_STATE        REGISTER(0x40004004) /* 1: cannot send yet; 2: has received */
#define UART_CONTROL      REGISTER(0x40004008)
#define UART_DIVIDER      REGISTER(0x40004010)
#define LIGHTS            REGISTER(0x40028000) /* FPGA I/O */

#define HERTZ 25000000

static volatile uint32_t ticks; /* milliseconds; the interrupt's to write */
static unsigned changes;

void board_start(void)
{
    SYSTICK_RELOAD = HERTZ / 1000 - 1;
    SYSTICK_VALUE = 0;
    SYSTICK_CONTROL = 7; /* on, with interrupts, by the processor's clock */
    UART_DIVIDER = HERTZ / 115200;
    UART_CONTROL = 3; /* send and receive */
}

static void on_tick(void)
{
    ticks++;
}

/* 49 days; a station that runs for longer counts the turns. */
long long board_ticks(void)
{
    return ticks;
}

void board_light(bool on)
{
    LIGHTS = on;
    changes++;
}

unsigned board_light_changes(void)
{
    return changes;
}

/* There is none: a slow triangle. */
int board_sensor(void)
{
    static int at;
    at = (at + 7) % 200;
    return 2000 + (at < 100 ? at : 200 - at);
}

void board_print(const char *text)
{
    for (; *text; text++) {
        while (UART_STATE & 1)
            ;
        UART_DATA = (unsigned char)*text;
    }
}

int board_key(void)
{
    return UART_STATE & 2 ? (int)(UART_DATA & 0xff) : -1;
}

void board_wait(void)
{
    __asm volatile("wfi");
}

void board_exit(int status)
{
    const uint32_t why[2] = { 0x20026, (uint32_t)status }; /* the application's end */
    register uint32_t call __asm("r0") = 0x20;             /* SYS_EXIT_EXTENDED */
    register const uint32_t *arguments __asm("r1") = why;
    __asm volatile("bkpt 0xab" : "+r"(call) : "r"(arguments) : "memory");
    for (;;)
        ;
}

/* ---- the start ---- */

extern uint32_t data_begin[], data_end[], data_from[], bss_begin[], bss_end[], stack_end[];
int main(void);

static void on_reset(void)
{
    const uint32_t *from = data_from;
    for (uint32_t *to = data_begin; to < data_end; to++)
        *to = *from++;
    for (uint32_t *to = bss_begin; to < bss_end; to++)
        *to = 0;
    board_exit(main());
}

static void on_fault(void)
{
    board_exit(99);
}

typedef void vector(void);
__attribute__((section(".vectors"), used)) static vector *const vectors[16] = {
    (vector *)stack_end,
    on_reset,
    on_fault,
    on_fault,
    on_fault,
    on_fault,
    on_fault,
    0,
    0,
    0,
    0,
    on_fault,
    on_fault,
    0,
    on_fault,
    on_tick,
};
