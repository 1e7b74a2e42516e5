#!/usr/bin/env python3
"""on_loopback.py - a test script of a library whose server would listen at all addresses.

    on_loopback.py SCRIPT [ARGUMENT...]"""

import os
import runpy
import socket
import sys

bind = socket.socket.bind
socket.socket.bind = lambda self, at: bind(self, ("127.0.0.1", *at[1:]))
del sys.argv[0]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
