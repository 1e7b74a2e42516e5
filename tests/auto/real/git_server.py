#!/usr/bin/env python3
"""git_server.py - repositories over HTTP on the loopback, by git's own http-backend.

    git_server.py PORT FOLDER TOGETHER SECONDS

Answers none of the first TOGETHER requests before all of them have come. Ends after SECONDS."""

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

together = threading.Barrier(int(sys.argv[3]))
guard, come = threading.Lock(), 0


class Handler(BaseHTTPRequestHandler):
    def body(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def answer(self):
        global come
        with guard:
            come += 1
            early = come <= together.parties
        if early:
            together.wait(120)
        path, _, query = self.path.partition("?")
        given = self.body()
        environment = dict(
            os.environ, GIT_PROJECT_ROOT=sys.argv[2], GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path,
            QUERY_STRING=query, REQUEST_METHOD=self.command, CONTENT_LENGTH=str(len(given)),
            CONTENT_TYPE=self.headers.get("Content-Type", ""), REMOTE_USER="nobody",
            HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
            GIT_PROTOCOL=self.headers.get("Git-Protocol", ""))  # fmt: skip
        said = subprocess.run(["git", "http-backend"], input=given, stdout=subprocess.PIPE,
                              env=environment, check=True).stdout  # fmt: skip
        head, _, body = said.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True


server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
threading.Timer(float(sys.argv[4]), server.shutdown).start()
server.serve_forever()
os._exit(0)
