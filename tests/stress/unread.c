/* unread.c - declarations at file scope that libclang does not read, and the compiler does:
 * functions that name them stay plain, also those that do so by another type, an enumerator or a
 * prototype; the others are woven.
 * needs: decimal numbers
 * plain: charge main of_wallet spend spent twice_of */
#include <stdio.h>

typedef _Decimal64 decimal;

struct wallet {
    decimal money;
    int coins;
};

static decimal price = 2.5DD, twice = 5.0DD;
enum { PRICES = sizeof price };

static int charge(int n)
{
    return (int)(price * n + twice);
}

static int of_wallet(struct wallet *wallet)
{
    return (int)wallet->money + wallet->coins;
}

struct wallet *spend(struct wallet *wallet, int coins);

static int spent(void)
{
    static struct wallet mine;
    return of_wallet(spend(&mine, PRICES));
}

static decimal twice_of(decimal value)
{
    return value * 2;
}

struct wallet *spend(struct wallet *wallet, int coins)
{
    wallet->coins -= coins;
    return wallet;
}

static int next(int n)
{
    return n + 1;
}

static int plus(int price_of_it)
{
    return next(next(price_of_it));
}

int main(void)
{
    int n = charge(4);
    printf("%d %d %d %d\n", n, plus(n), spent(), next(n));
    return twice_of(1) == 2 ? 3 : 4;
}
