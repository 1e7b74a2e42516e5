"""sshd.py - Debian's sshd on the loopback, as the user who runs the proof, with keys of its own."""

import os
import socket
from pathlib import Path

PROGRAM = "/usr/sbin/sshd"  # it wants an absolute path
CONF = """Port {port}
ListenAddress 127.0.0.1
HostKey {host}
AuthorizedKeysFile {user}
PidFile none
StrictModes no
UsePAM no
UseDNS no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 4000
LoginGraceTime 0
LogLevel ERROR
Subsystem sftp internal-sftp
"""
# What bash takes for the shell of another one does not read ~/.bashrc.
CONF += "SetEnv SHLVL=2\n"


def make_keys(work):
    """Returns a folder with the keys `host` and `user`."""
    for name in ("host", "user"):
        if not (work.sockets / name).exists():
            work.run(f"ssh-keygen -q -t ed25519 -N '' -f {name}", work.sockets)
    return work.sockets


def start(work, port, host, user, more=""):
    conf = work.sockets / f"sshd-{port}.conf"
    conf.write_text(CONF.format(port=port, host=host, user=user) + more)
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # the service would make it

    def is_open():
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0

    # -r: a connection is a fork, without another exec
    work.server([PROGRAM, "-r", "-D", "-e", "-f", str(conf)], is_open)
