/* squares.rs - squares.c with Tokio. */
use tokio::time::{sleep, Duration};

async fn square(n: u64) -> u64 {
    sleep(Duration::from_millis(n)).await;
    n * n
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let tasks: Vec<_> = (1..=3).map(|n| tokio::spawn(square(n))).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.unwrap();
    }
    println!("{}", sum);
}
