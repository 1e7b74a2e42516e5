// main.rs - the echo server with Tokio: a task for each connection.
//
//     server [--compute]     prints its port; --compute: two workers, a task computes for ever
use std::io::Write;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

async fn serve(mut c: TcpStream) {
    let mut buffer = vec![0u8; 16384];
    loop {
        match c.read(&mut buffer).await {
            Ok(n) if n > 0 => {
                if c.write_all(&buffer[..n]).await.is_err() {
                    return;
                }
            }
            _ => return,
        }
    }
}

async fn accept_all(computes: bool) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    std::io::stdout().flush().unwrap();
    if computes {
        tokio::spawn(async {
            let mut n = 0u64;
            loop {
                n = std::hint::black_box(n + 1);
            }
        });
    }
    loop {
        if let Ok((c, _)) = listener.accept().await {
            let _ = c.set_nodelay(true);
            tokio::spawn(serve(c));
        }
    }
}

fn main() {
    let computes = std::env::args().nth(1).as_deref() == Some("--compute");
    if computes {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_io().build().unwrap();
        runtime.block_on(async { tokio::spawn(accept_all(true)).await.unwrap() });
    } else {
        tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap().block_on(accept_all(false));
    }
}
