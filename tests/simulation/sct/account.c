/* account.c - payments in and out of one account, and an audit when both are done.
 *
 * The mistake: a payment reads the balance and writes the new one under the lock, but not both in
 * one go. A payment that comes between is lost, and the audit finds too much or too little. */
#include "sct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, done;

static void pay(int amount)
{
    pthread_mutex_lock(&lock);
    int before = balance;
    if (!RIGHT_FORM) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
    }
    balance = before + amount;
    done++;
    pthread_mutex_unlock(&lock);
}

static void audit(void)
{
    pthread_mutex_lock(&lock);
    if (done == 2)
        assert(balance == 100 + 30 - 20);
    pthread_mutex_unlock(&lock);
}

static void *pay_or_audit(void *arg)
{
    int which = number_of_thread(arg);
    if (which == 2)
        audit();
    else
        pay(which == 0 ? 30 : -20);
    return NULL;
}

int main(void)
{
    together(3, pay_or_audit);
    audit();
    return 0;
}
