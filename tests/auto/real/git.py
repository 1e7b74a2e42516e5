"""git.py - clones and pushes of git at once, through programs whose threads are tasks.

Over HTTP each goes through tinyproxy; over SSH all go through one process with a session of libssh2
for each (programs/ssh_gate.c). None goes on before all are there. Each clone is whole and has the
tree of the repository, and commits a file of its own, which it pushes to a branch. Afterwards the
repository is whole, and has these commits and no others."""

import concurrent.futures
import getpass
import os
import shutil
import subprocess
import sys

import many
import sshd
import threads
from work import HERE, SERVER_SECONDS, Failed, free_port

NEEDS = ["make", "git", "nc", "flock", "ssh-keygen", sshd.PROGRAM]
CLIENTS, MOST = 30, 200
FILES = 60  # of the repository, with up to 60 KB that no compression makes smaller
GIT = {
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_SSH_VARIANT": "simple",
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
       (("NAME", "a"), ("EMAIL", "a@localhost"), ("DATE", "1700000000 +0000"))}, "LC_ALL": "C",
}  # fmt: skip


def sources(_):
    return [threads.TINYPROXY, many.SSH2]


def prove(work):
    count = MOST if work.bench else CLIENTS
    work.need_files(4 * count + 200)
    for form in ("plain", "tasks") if work.bench else ("tasks",):
        through_proxy(work, form, count)
        through_gate(work, form, count)


# ---- the repository and its clients ----


def git(work, folder, *words, **variables):
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, check=False,
                          env={**os.environ, **GIT, "HOME": str(work.sockets), **variables})
    if done.returncode != 0:
        raise Failed(f"({done.returncode}) git {' '.join(words)}: {done.stderr[-300:]}")
    return done.stdout.strip()


def make_repository(work, name):
    folder, bare = work.folder / f"{name}-made", work.folder / f"{name}.git"
    for old in (folder, bare, work.folder / f"{name}-clones"):
        shutil.rmtree(old, ignore_errors=True)
    git(work, work.folder, "init", "-q", "-b", "main", str(folder))
    state = 1
    for i in range(FILES):
        size = i * 1000
        (folder / f"file-{i}").write_bytes(
            b"".join((state := (state * 69069 + 1) % 2**32).to_bytes(4, "little")
                     for _ in range(size // 4)))  # fmt: skip
        if i % 10 == 9:
            git(work, folder, "add", ".")
            git(work, folder, "commit", "-q", "-m", f"up to {i}")
    git(work, folder, "tag", "-a", "-m", "a tag", "v1")
    git(work, work.folder, "clone", "-q", "--bare", str(folder), str(bare))
    for setting in ("http.receivepack true", "gc.auto 0", "receive.autogc false"):
        git(work, bare, "config", *setting.split())
    return bare


def one_client(work, bare, url, i, options, variables):
    """Clones, commits and pushes; returns the branch and its commit."""
    clone = work.folder / f"{bare.stem}-clones" / str(i)
    git(work, work.folder, *options, "clone", "-q", url, str(clone), **variables)
    git(work, clone, "fsck", "--full", "--strict", "--no-progress")
    for what in ("HEAD^{tree}", "v1"):
        if git(work, clone, "rev-parse", what) != git(work, bare, "rev-parse", what):
            raise Failed(f"clone {i} has another {what}")
    (clone / f"of-{i}").write_bytes(bytes((i * k) % 251 for k in range(1000 + 500 * i)))
    git(work, clone, "add", ".")
    git(work, clone, "commit", "-q", "-m", f"of client {i}")
    git(work, clone, *options, "push", "-q", "origin", f"HEAD:refs/heads/client-{i}", **variables)
    return f"refs/heads/client-{i}", git(work, clone, "rev-parse", "HEAD")


def all_clients(work, bare, url, count, options=(), **variables):
    before = dict(line.split()[::-1] for line in refs(work, bare))
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        pushed = dict(pool.map(
            lambda i: one_client(work, bare, url, i, options, variables), range(count)))
    git(work, bare, "fsck", "--full", "--strict", "--no-progress")
    after = dict(line.split()[::-1] for line in refs(work, bare))
    work.check(after == {**before, **pushed}, "the repository has other branches")
    shutil.rmtree(work.folder / f"{bare.stem}-clones")


def refs(work, bare):
    return git(work, bare, "for-each-ref", "--format=%(objectname) %(refname)").splitlines()


# ---- HTTP through tinyproxy ----


def through_proxy(work, form, count):
    work.name, name = "tinyproxy", work.name
    try:
        source, command, program = threads.BUILDS["tinyproxy"]
        tree, _ = work.build(source, command, "plain" if form == "plain" else "auto",
                             options="=threads")  # fmt: skip
        bare, port = make_repository(work, f"http-{form}"), free_port()
        work.server([sys.executable, str(HERE / "git_server.py"), str(port), str(work.folder),
                     str(count), str(SERVER_SECONDS)], lambda: many.is_open(port))  # fmt: skip
        with threads.Server(work, form, tree / program, count) as proxy:
            while not many.is_open(proxy.port):
                work.check(proxy.process.poll() is None, "tinyproxy does not start")
            all_clients(work, bare, f"http://127.0.0.1:{port}/{bare.name}", count,
                        ["-c", f"http.proxy=http://127.0.0.1:{proxy.port}"])
            cpu, most = proxy.cpu(), proxy.status("VmHWM")
    finally:
        work.name = name
    work.say(f"{count} clones and pushes at once by HTTP through tinyproxy, {form}: {most} KB, "
             f"{cpu:.2f} s of processors")


# ---- SSH through libssh2 ----


def through_gate(work, form, count):
    woven = form != "plain"
    source, command = many.BUILDS["libssh2"]
    tree, _ = work.build(source, command, "auto" if woven else "plain", options="=threads")
    program = work.program(f"gate-{form}", ["ssh_gate.c"], woven,
                           f"-I{tree}/include {tree}/src/.libs/libssh2.a -lcrypto",
                           options="=threads" if woven else "")  # fmt: skip
    bare, folder, port = make_repository(work, f"ssh-{form}"), sshd.make_keys(work), free_port()
    at, lock = folder / f"gate-{form}", folder / "lock"
    lock.touch()
    sshd.start(work, port, folder / "host", folder / "user.pub",
               f'ForceCommand flock -s {lock} sh -c "$SSH_ORIGINAL_COMMAND"\n')
    script = work.folder / "ssh"
    script.write_text(f'#!/bin/sh\n{{ printf "%s\\n" "$2"; exec cat; }} | nc -N -U {at}\n')
    script.chmod(0o755)
    with (open(work.folder / "gate.log", "wb") as log, subprocess.Popen(
        [program, at, str(port), folder, getpass.getuser(), str(2 * count)], stderr=log,
        stdout=subprocess.PIPE, text=True, env={**os.environ, "CO4_WORKERS": str(many.WORKERS)}
    ) as gate, subprocess.Popen(["flock", lock, "cat"], stdin=subprocess.PIPE) as holder,
            concurrent.futures.ThreadPoolExecutor(1) as pool):  # fmt: skip
        try:
            while not at.exists():
                work.check(gate.poll() is None, "ssh_gate does not start")
            done = pool.submit(all_clients, work, bare, f"ssh://localhost{bare}", count,
                               GIT_SSH_COMMAND=str(script))
            done.add_done_callback(lambda ended: ended.exception() and gate.kill())
            for _ in range(count):  # all clones are there, and wait for the lock
                work.check(gate.stdout.readline().startswith("git-upload-pack "), "no clone")
            holder.stdin.close()
            done.result()
            for _ in range(count):
                work.check(gate.stdout.readline().startswith("git-receive-pack "), "no push")
            _, ended, used = os.wait4(gate.pid, 0)
            gate.returncode = os.waitstatus_to_exitcode(ended)
        finally:
            gate.kill()
            holder.kill()
    said = (work.folder / "gate.log").read_text(errors="replace")
    work.check(gate.returncode == 0 and "ends with" not in said, f"ssh_gate: {said[-300:]}")
    work.say(f"{count} clones and pushes at once by SSH through libssh2, {form}: "
             f"{used.ru_maxrss} KB, {used.ru_utime + used.ru_stime:.2f} s of processors")
