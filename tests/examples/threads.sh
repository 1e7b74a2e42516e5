# A server with a thread for each connection, plain and woven: all clients are there at once, and
# hear their own words. The threads of the woven one are few.
[ "$(uname -s)" = Linux ] || exit 77
case ${CO4_TEST_CFLAGS:-} in *-fsanitize=*) exit 77 ;; esac
cat >clients.py <<'END'
import re, socket, subprocess, sys, time
program, count = sys.argv[1], int(sys.argv[2])
for port in range(22000, 22100):
    server = subprocess.Popen([program, str(port)], stdout=open("said", "wb"))
    while server.poll() is None:
        try:
            clients = [socket.create_connection(("127.0.0.1", port), 30)]
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    if server.poll() is None:
        break
try:
    clients += [socket.create_connection(("127.0.0.1", port), 30) for _ in range(1, count)]
    for k in range(2):
        for i, client in enumerate(clients):
            client.sendall(b"%05d %d" % (i, k))
        for i, client in enumerate(clients):
            assert client.recv(7, socket.MSG_WAITALL) == b"%05d %d" % (i, k), (i, k)
    with open(f"/proc/{server.pid}/status") as status:
        threads = int(re.search(r"Threads:\s+(\d+)", status.read())[1])
    for client in clients:
        client.close()
finally:
    server.kill()
    server.wait()
print("many" if threads > count else "few" if threads < 20 else threads)
END
echo=$co4_root/examples/threads/echo.c
"$CO4_TEST_CC" -O1 -Wall "$echo" -o plain -pthread
"$CO4WEAVE" --auto=threads --auto=strict "$CO4_TEST_CC" -O1 -Wall "$echo" "$CO4_LIBRARY" \
    $CO4_TEST_LIBS -o woven
[ "$(timeout 60 python3 clients.py ./plain 100)" = many ]
[ "$(CO4_WORKERS=2 timeout 60 python3 clients.py ./woven 400)" = few ]
