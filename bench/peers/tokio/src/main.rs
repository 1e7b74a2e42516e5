//! Rust with Tokio. The command line and the line of output are those of ../../peer.h.
//!
//! Calls are async functions that recurse through boxes; generators are futures polled by hand, for Rust has none of its own.
//! Workers: one is the current_thread runtime, more the multi_thread one.
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, Notify};

const RING: usize = 503;
const PRODUCERS: i64 = 8;
const CAPACITY: usize = 300;

fn check(what: &str, got: i64, want: i64) {
    if got != want {
        eprintln!("{what} gave {got}, not {want}");
        std::process::exit(1);
    }
}

/// The optimiser does not see through it. std::hint has one from Rust 1.66 on.
fn black_box<T>(value: T) -> T {
    unsafe {
        let copy = std::ptr::read_volatile(&value);
        std::mem::forget(value);
        copy
    }
}

fn ns_each(begin: Instant, count: i64) -> f64 {
    begin.elapsed().as_nanos() as f64 / count as f64
}

fn runtime(workers: usize) -> Runtime {
    if workers == 1 {
        Builder::new_current_thread().enable_time().build().unwrap()
    } else {
        Builder::new_multi_thread().worker_threads(workers).enable_time().build().unwrap()
    }
}

/// Runs a future as a task: block_on() itself does not run it as one.
fn run<T: Send + 'static>(workers: usize, f: impl Future<Output = T> + Send + 'static) -> T {
    let rt = runtime(workers);
    rt.block_on(async { tokio::spawn(f).await.unwrap() })
}

// ---- polling by hand ----

fn no_waker() -> Waker {
    const TABLE: RawWakerVTable = RawWakerVTable::new(|_| RawWaker::new(std::ptr::null(), &TABLE), |_| (), |_| (), |_| ());
    unsafe { Waker::from_raw(RawWaker::new(std::ptr::null(), &TABLE)) }
}

type Call = Pin<Box<dyn Future<Output = i32>>>;

#[inline(never)]
fn fib(n: i32) -> Call {
    Box::pin(async move {
        if n < 2 {
            return n;
        }
        fib(n - 1).await + fib(n - 2).await
    })
}

#[inline(never)]
fn tak(x: i32, y: i32, z: i32) -> Call {
    Box::pin(async move {
        if y >= x {
            return z;
        }
        let a = tak(x - 1, y, z).await;
        let b = tak(y - 1, z, x).await;
        let c = tak(z - 1, x, y).await;
        tak(a, b, c).await
    })
}

#[inline(never)]
fn ackermann(m: i32, n: i32) -> Call {
    Box::pin(async move {
        if m == 0 {
            return n + 1;
        }
        if n == 0 {
            return ackermann(m - 1, 1).await;
        }
        let inner = ackermann(m, n - 1).await;
        ackermann(m - 1, inner).await
    })
}

fn calls(what: &str, times: i64, call: fn() -> Call, is: i64, each: i64) -> f64 {
    let begin = Instant::now();
    let waker = no_waker();
    for _ in 0..times {
        match call().as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => check(what, value as i64, is),
            Poll::Pending => check(what, -1, is),
        }
    }
    ns_each(begin, times * each)
}

// ---- generators ----

/// Where a generator leaves its value: Pending once, with the value there.
struct Yielding(*mut Option<i64>, Option<i64>);

impl Future for Yielding {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match self.1.take() {
            None => Poll::Ready(()),
            value => {
                unsafe { *self.0 = value };
                Poll::Pending
            }
        }
    }
}

fn drain(mut generator: Pin<Box<dyn Future<Output = ()>>>, slot: *mut Option<i64>) -> i64 {
    let waker = no_waker();
    let mut context = Context::from_waker(&waker);
    let mut sum = 0;
    while generator.as_mut().poll(&mut context).is_pending() {
        sum += unsafe { *slot }.unwrap();
    }
    sum
}

fn yields(values: i64) -> f64 {
    let mut slot: Option<i64> = None;
    let at: *mut Option<i64> = black_box(&mut slot);
    let begin = Instant::now();
    let generator: Pin<Box<dyn Future<Output = ()>>> = black_box(Box::pin(async move {
        for i in 0..values {
            Yielding(at, Some(i)).await;
        }
    }));
    check("yield", drain(generator, at), values * (values - 1) / 2);
    ns_each(begin, values)
}

#[inline(never)]
fn walk(at: *mut Option<i64>, first: i64, depth: u32) -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(async move {
        if depth == 0 {
            return;
        }
        let node = first + (1 << (depth - 1)) - 1;
        walk(at, first, depth - 1).await;
        Yielding(at, Some(node)).await;
        walk(at, node + 1, depth - 1).await;
    })
}

fn deep(depth: u32, at_least: i64) -> f64 {
    let nodes = (1i64 << depth) - 1;
    let times = at_least / nodes + 1;
    let mut slot: Option<i64> = None;
    let at: *mut Option<i64> = black_box(&mut slot);
    let begin = Instant::now();
    let sum = drain(
        Box::pin(async move {
            for _ in 0..times {
                walk(at, 0, depth).await;
            }
        }),
        at,
    );
    check("deep_yield", sum, times * (nodes * (nodes - 1) / 2));
    ns_each(begin, nodes * times)
}

// ---- messages ----

fn ring(workers: usize, hops: i64) -> f64 {
    run(workers, async move {
        let (mut senders, mut receivers) = (Vec::new(), Vec::new());
        for _ in 0..RING {
            let (tx, rx) = mpsc::channel::<i64>(1);
            senders.push(tx);
            receivers.push(rx);
        }
        let first = senders[0].clone();
        senders.rotate_left(1);
        let begin = Instant::now();
        let mut tasks = Vec::new();
        for (tx, mut rx) in senders.into_iter().zip(receivers) {
            tasks.push(tokio::spawn(async move {
                loop {
                    let token = rx.recv().await.unwrap() - 1;
                    tx.send(token).await.unwrap();
                    if token <= RING as i64 - 1 {
                        return rx;
                    }
                }
            }));
        }
        first.send(hops).await.unwrap();
        let mut receivers = Vec::new();
        for task in tasks {
            receivers.push(task.await.unwrap());
        }
        let ns = ns_each(begin, hops);
        let left: i64 = receivers.iter_mut().map(|rx| rx.try_recv().is_ok() as i64).sum();
        check("ring", left, 1);
        ns
    })
}

fn ping_pong(workers: usize, rounds: i64) -> f64 {
    run(workers, async move {
        let (to_a, mut a) = mpsc::channel::<i64>(1);
        let (to_b, mut b) = mpsc::channel::<i64>(1);
        let begin = Instant::now();
        let ping = tokio::spawn(async move {
            for i in 0..rounds {
                to_b.send(i).await.unwrap();
                check("ping_pong", a.recv().await.unwrap(), i);
            }
        });
        let pong = tokio::spawn(async move {
            for _ in 0..rounds {
                let got = b.recv().await.unwrap();
                to_a.send(got).await.unwrap();
            }
        });
        ping.await.unwrap();
        pong.await.unwrap();
        ns_each(begin, rounds)
    })
}

fn fan_in(workers: usize, each: i64) -> f64 {
    run(workers, async move {
        let (tx, mut rx) = mpsc::channel::<i64>(CAPACITY);
        let begin = Instant::now();
        let consumer = tokio::spawn(async move {
            let mut sum = 0;
            for _ in 0..PRODUCERS * each {
                sum += rx.recv().await.unwrap();
            }
            sum
        });
        for _ in 0..PRODUCERS {
            let tx = tx.clone();
            tokio::spawn(async move {
                for i in 1..=each {
                    tx.send(i).await.unwrap();
                }
            });
        }
        let sum = consumer.await.unwrap();
        let ns = ns_each(begin, PRODUCERS * each);
        check("fan_in", sum, PRODUCERS * (each * (each + 1) / 2));
        ns
    })
}

/// What std::future::poll_fn() makes, from Rust 1.64 on.
struct PollWith<F>(F);

impl<T, F: FnMut(&mut Context<'_>) -> Poll<T> + Unpin> Future for PollWith<F> {
    type Output = T;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        (self.0)(context)
    }
}

/// One task that takes from 8 channels, whichever has something; select! does the same, from a random start.
fn select_8(workers: usize, each: i64) -> f64 {
    run(workers, async move {
        let (mut senders, mut receivers) = (Vec::new(), Vec::new());
        for _ in 0..PRODUCERS {
            let (tx, rx) = mpsc::channel::<i64>(CAPACITY);
            senders.push(tx);
            receivers.push(rx);
        }
        let begin = Instant::now();
        let consumer = tokio::spawn(async move {
            let (mut sum, mut start) = (0, 0);
            for _ in 0..PRODUCERS * each {
                start += 1;
                sum += PollWith(|context: &mut Context<'_>| {
                    for i in 0..receivers.len() {
                        let at = (start + i) % receivers.len();
                        if let Poll::Ready(Some(value)) = receivers[at].poll_recv(context) {
                            return Poll::Ready(value);
                        }
                    }
                    Poll::Pending
                })
                .await;
            }
            sum
        });
        for tx in senders {
            tokio::spawn(async move {
                for i in 1..=each {
                    tx.send(i).await.unwrap();
                }
                tx.closed().await;
            });
        }
        let sum = consumer.await.unwrap();
        let ns = ns_each(begin, PRODUCERS * each);
        check("select_8", sum, PRODUCERS * (each * (each + 1) / 2));
        ns
    })
}

// ---- tasks ----

fn sky(parent: mpsc::Sender<i64>, number: i64, size: i64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        if size == 1 {
            parent.send(number).await.unwrap();
            return;
        }
        let (tx, mut rx) = mpsc::channel(10);
        for i in 0..10 {
            tokio::spawn(sky(tx.clone(), number + i * (size / 10), size / 10));
        }
        let mut sum = 0;
        for _ in 0..10 {
            sum += rx.recv().await.unwrap();
        }
        parent.send(sum).await.unwrap();
    })
}

fn skynet(workers: usize, leaves: i64) -> f64 {
    run(workers, async move {
        let (tx, mut rx) = mpsc::channel(1);
        let begin = Instant::now();
        tokio::spawn(sky(tx, 0, leaves));
        let sum = rx.recv().await.unwrap();
        let ms = begin.elapsed().as_nanos() as f64 / 1e6;
        check("skynet", sum, leaves * (leaves - 1) / 2);
        ms
    })
}

/// Counts down to the end of many tasks: cheaper than to keep a handle of each.
struct Countdown {
    left: AtomicI64,
    done: Notify,
}

impl Countdown {
    fn new(count: i64) -> Arc<Countdown> {
        Arc::new(Countdown { left: AtomicI64::new(count), done: Notify::new() })
    }
    fn one(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.done.notify_one();
        }
    }
}

fn spawn(workers: usize, count: i64) -> f64 {
    run(workers, async move {
        let countdown = Countdown::new(count);
        let begin = Instant::now();
        for i in 0..count {
            let countdown = countdown.clone();
            tokio::spawn(async move { countdown.one() });
            if i % 256 == 255 {
                tokio::task::yield_now().await;
            }
        }
        countdown.done.notified().await;
        check("spawn", countdown.left.load(Ordering::Relaxed), 0);
        ns_each(begin, count)
    })
}

fn yield_two(workers: usize, each: i64) -> f64 {
    run(workers, async move {
        let begin = Instant::now();
        let tasks: Vec<_> = (0..2)
            .map(|_| {
                tokio::spawn(async move {
                    for _ in 0..each {
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        ns_each(begin, 2 * each)
    })
}

// ---- memory ----

fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<f64>().unwrap() * 4096.0
}

/// One channel each; or one for all, whose receiver they share behind a notification.
fn parked(workers: usize, count: i64, own: bool) -> f64 {
    run(workers, async move {
        let mut senders: Vec<Option<mpsc::Sender<i32>>> = Vec::new();
        senders.resize_with(if own { count as usize } else { 0 }, || None);
        let shared = Arc::new(tokio::sync::Semaphore::new(0));
        let (countdown, sum) = (Countdown::new(count), Arc::new(AtomicI64::new(0)));
        for sender in senders.iter_mut() {
            *black_box(sender) = None;
        }
        let before = resident();
        for i in 0..count {
            let (countdown, sum) = (countdown.clone(), sum.clone());
            if own {
                let (tx, mut rx) = mpsc::channel(1);
                senders[i as usize] = Some(tx);
                tokio::spawn(async move {
                    rx.recv().await;
                    sum.fetch_add(i as i32 as i64, Ordering::Relaxed);
                    countdown.one();
                });
            } else {
                let shared = shared.clone();
                tokio::spawn(async move {
                    let _ = shared.acquire().await;
                    sum.fetch_add(i as i32 as i64, Ordering::Relaxed);
                    countdown.one();
                });
            }
            if i % 256 == 255 {
                tokio::task::yield_now().await;
            }
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        let each = (resident() - before) / count as f64;
        drop(senders);
        shared.close();
        countdown.done.notified().await;
        check("parked_bytes", sum.load(Ordering::Relaxed), count * (count - 1) / 2);
        each
    })
}

// ---- timers ----

/// Each waits for at most an hour; then they get the order to stop, and their timers are cancelled.
fn timer_cancel(workers: usize, count: i64) -> f64 {
    run(workers, async move {
        let (countdown, stop) = (Countdown::new(count), Arc::new(tokio::sync::Semaphore::new(0)));
        let stopped = Arc::new(AtomicI64::new(0));
        let begin = Instant::now();
        for i in 0..count {
            let (countdown, stop, stopped) = (countdown.clone(), stop.clone(), stopped.clone());
            tokio::spawn(async move {
                if tokio::time::timeout(Duration::from_secs(3600), stop.acquire()).await.is_ok() {
                    stopped.fetch_add(1, Ordering::Relaxed);
                }
                countdown.one();
            });
            if i % 256 == 255 {
                tokio::task::yield_now().await;
            }
        }
        stop.close();
        countdown.done.notified().await;
        check("timer_cancel", stopped.load(Ordering::Relaxed), count);
        ns_each(begin, count)
    })
}

fn timer_fire(workers: usize, count: i64) -> f64 {
    run(workers, async move {
        let countdown = Countdown::new(count);
        let begin = Instant::now();
        for i in 0..count {
            let countdown = countdown.clone();
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(1 + i as u64 % 10)).await;
                countdown.one();
            });
            if i % 256 == 255 {
                tokio::task::yield_now().await;
            }
        }
        countdown.done.notified().await;
        check("timer_fire", countdown.left.load(Ordering::Relaxed), 0);
        ns_each(begin, count)
    })
}

// ---- a wake under load ----

fn burn(step: Duration) {
    let end = Instant::now() + step;
    let mut x = 1u64;
    while Instant::now() < end {
        x = black_box(x.wrapping_mul(6364136223846793005).wrapping_add(1));
    }
}

fn late(workers: usize, count: i64, step: Duration, sleeps: bool, share: f64) -> f64 {
    run(workers, async move {
        let stop = Arc::new(AtomicBool::new(false));
        let mut load = Vec::new();
        for _ in 0..4 * workers {
            let stop = stop.clone();
            load.push(tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    burn(step);
                    tokio::task::yield_now().await;
                }
            }));
        }
        let (tx, mut rx) = mpsc::channel::<Instant>(1);
        let (back, mut late) = mpsc::channel::<Duration>(1);
        tokio::spawn(async move {
            while let Some(sent) = rx.recv().await {
                back.send(sent.elapsed()).await.unwrap();
            }
        });
        let mut all = Vec::new();
        for _ in 0..count {
            if sleeps {
                let due = Instant::now() + Duration::from_millis(1);
                tokio::time::sleep_until(due.into()).await;
                all.push(due.elapsed());
                continue;
            }
            tokio::time::sleep(Duration::from_micros(100)).await;
            tx.send(Instant::now()).await.unwrap();
            all.push(late.recv().await.unwrap());
        }
        stop.store(true, Ordering::Relaxed);
        for task in load {
            task.await.unwrap();
        }
        all.sort();
        all[(share * (count - 1) as f64) as usize].as_nanos() as f64
    })
}

// ---- work for all processors ----

fn queens(all: u32, columns: u32, left: u32, right: u32) -> i64 {
    if columns == all {
        return 1;
    }
    let (mut count, mut free) = (0, all & !(columns | left | right));
    while free != 0 {
        let bit = free & free.wrapping_neg();
        free ^= bit;
        count += queens(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    count
}

const SOLUTIONS: [i64; 16] = [1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184];

fn nqueens(workers: usize, n: i64) -> f64 {
    run(workers, async move {
        let all = (1u32 << n) - 1;
        let begin = Instant::now();
        let mut tasks = Vec::new();
        for i in 0..n {
            let a = 1u32 << i;
            let mut free = all & !(a | a << 1 | a >> 1);
            while free != 0 {
                let b = free & free.wrapping_neg();
                free ^= b;
                tasks.push(tokio::spawn(async move { queens(all, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1) }));
            }
        }
        let mut sum = 0;
        for task in tasks {
            sum += task.await.unwrap();
        }
        let ms = begin.elapsed().as_nanos() as f64 / 1e6;
        check("nqueens", sum, SOLUTIONS[n as usize]);
        ms
    })
}

/// A square part of a matrix, shared with tasks that write to parts that do not overlap.
#[derive(Clone, Copy)]
struct Part(*mut f64, usize);
unsafe impl Send for Part {}

impl Part {
    fn quarter(self, row: usize, column: usize) -> Part {
        Part(unsafe { self.0.add(row * self.1 + column) }, self.1)
    }
    unsafe fn row(self, i: usize, n: usize) -> &'static mut [f64] {
        std::slice::from_raw_parts_mut(self.0.add(i * self.1), n)
    }
}

fn multiply(c: Part, a: Part, b: Part, n: usize) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        if n <= 64 {
            for i in 0..n {
                for k in 0..n {
                    unsafe {
                        let x = a.row(i, n)[k];
                        for (to, from) in c.row(i, n).iter_mut().zip(b.row(k, n).iter()) {
                            *to += x * from;
                        }
                    }
                }
            }
            return;
        }
        let h = n / 2;
        for half in 0..2 {
            // four quarters at a time, twice
            let tasks: Vec<_> = (0..4)
                .map(|q| {
                    let (row, column) = (q / 2 * h, q % 2 * h);
                    tokio::spawn(multiply(
                        c.quarter(row, column),
                        a.quarter(row, half * h),
                        b.quarter(half * h, column),
                        h,
                    ))
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
        }
    })
}

fn matmul(workers: usize, size: i64) -> f64 {
    let n = size as usize;
    let mut a: Vec<f64> = (0..n * n).map(|i| (i % 7) as f64).collect();
    let mut b: Vec<f64> = (0..n * n).map(|i| (i % 5) as f64).collect();
    let mut c = vec![0.0; n * n];
    let (pc, pa, pb) = (Part(c.as_mut_ptr(), n), Part(a.as_mut_ptr(), n), Part(b.as_mut_ptr(), n));
    let ms = run(workers, async move {
        let begin = Instant::now();
        tokio::spawn(multiply(pc, pa, pb, n)).await.unwrap();
        begin.elapsed().as_nanos() as f64 / 1e6
    });
    let want: f64 = (0..n).map(|k| a[n * (n / 3) + k] * b[k * n + n / 2]).sum();
    check("matmul", c[n * (n / 3) + n / 2] as i64, want as i64);
    ms
}

const NAMES: &[(&str, &str)] = &[
    ("call_fib", "ns"),
    ("call_tak", "ns"),
    ("call_ackermann", "ns"),
    ("yield", "ns"),
    ("deep_yield_4", "ns"),
    ("deep_yield_8", "ns"),
    ("deep_yield_12", "ns"),
    ("deep_yield_16", "ns"),
    ("deep_yield_20", "ns"),
    ("ring", "ns"),
    ("ping_pong", "ns"),
    ("fan_in", "ns"),
    ("skynet", "ms"),
    ("spawn", "ns"),
    ("yield_two", "ns"),
    ("parked_bytes", "bytes"),
    ("parked_own_bytes", "bytes"),
    ("select_8", "ns"),
    ("timer_cancel", "ns"),
    ("timer_fire", "ns"),
    ("wake_5us_p50", "ns"),
    ("wake_5us_p99", "ns"),
    ("wake_p50", "ns"),
    ("wake_p99", "ns"),
    ("wake_p999", "ns"),
    ("wake_200us_p50", "ns"),
    ("wake_200us_p99", "ns"),
    ("wake_1ms_p50", "ns"),
    ("wake_1ms_p99", "ns"),
    ("wake_5ms_p50", "ns"),
    ("wake_5ms_p99", "ns"),
    ("sleep_5us_p50", "ns"),
    ("sleep_5us_p99", "ns"),
    ("sleep_200us_p50", "ns"),
    ("sleep_200us_p99", "ns"),
    ("sleep_5ms_p50", "ns"),
    ("sleep_5ms_p99", "ns"),
    ("nqueens", "ms"),
    ("matmul", "ms"),
];

fn measure(name: &str, workers: usize, size: i64) -> f64 {
    match name {
        "call_fib" => calls("fib", size, || fib(32), 2178309, 7049155),
        "call_tak" => calls("tak", size, || tak(18, 12, 6), 7, 63609),
        "call_ackermann" => calls("ackermann", size, || ackermann(3, 7), 1021, 693964),
        "yield" => yields(size),
        "ring" => ring(workers, size),
        "ping_pong" => ping_pong(workers, size),
        "fan_in" => fan_in(workers, size),
        "skynet" => skynet(workers, size),
        "spawn" => spawn(workers, size),
        "yield_two" => yield_two(workers, size),
        "parked_bytes" => parked(workers, size, false),
        "parked_own_bytes" => parked(workers, size, true),
        "select_8" => select_8(workers, size),
        "timer_cancel" => timer_cancel(workers, size),
        "timer_fire" => timer_fire(workers, size),
        "wake_5us_p50" => late(workers, size, Duration::from_micros(5), false, 0.5),
        "wake_5us_p99" => late(workers, size, Duration::from_micros(5), false, 0.99),
        "wake_p50" => late(workers, size, Duration::from_micros(20), false, 0.5),
        "wake_p99" => late(workers, size, Duration::from_micros(20), false, 0.99),
        "wake_p999" => late(workers, size, Duration::from_micros(20), false, 0.999),
        "wake_200us_p50" => late(workers, size, Duration::from_micros(200), false, 0.5),
        "wake_200us_p99" => late(workers, size, Duration::from_micros(200), false, 0.99),
        "wake_1ms_p50" => late(workers, size, Duration::from_micros(1000), false, 0.5),
        "wake_1ms_p99" => late(workers, size, Duration::from_micros(1000), false, 0.99),
        "wake_5ms_p50" => late(workers, size, Duration::from_micros(5000), false, 0.5),
        "wake_5ms_p99" => late(workers, size, Duration::from_micros(5000), false, 0.99),
        "sleep_5us_p50" => late(workers, size, Duration::from_micros(5), true, 0.5),
        "sleep_5us_p99" => late(workers, size, Duration::from_micros(5), true, 0.99),
        "sleep_200us_p50" => late(workers, size, Duration::from_micros(200), true, 0.5),
        "sleep_200us_p99" => late(workers, size, Duration::from_micros(200), true, 0.99),
        "sleep_5ms_p50" => late(workers, size, Duration::from_micros(5000), true, 0.5),
        "sleep_5ms_p99" => late(workers, size, Duration::from_micros(5000), true, 0.99),
        "nqueens" => nqueens(workers, size),
        "matmul" => matmul(workers, size),
        _ => deep(name.rsplit('_').next().unwrap().parse().unwrap(), size),
    }
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--list"] {
        NAMES.iter().for_each(|(name, _)| println!("{name}"));
        return;
    }
    let mut workers = 1;
    if arguments.len() > 2 && arguments[0] == "--workers" {
        workers = arguments[1].parse().unwrap_or(0);
        arguments.drain(..2);
    }
    let size = if arguments.len() == 2 { arguments[1].parse::<i64>().unwrap_or(0) } else { 0 };
    if size < 1 || workers < 1 {
        eprintln!("usage: PROGRAM [--workers N] WORKLOAD SIZE | --list");
        std::process::exit(2);
    }
    let (name, unit) = match NAMES.iter().find(|(name, _)| *name == arguments[0]) {
        Some(found) => found,
        None => {
            eprintln!("no workload '{}'", arguments[0]);
            std::process::exit(2);
        }
    };
    let value = measure(name, workers, size);
    println!("{{\"name\": \"{name}\", \"value\": {value:.6}, \"unit\": \"{unit}\", \"size\": {size}}}");
}
