"""timing.py - ordinary work of a library, plain and woven: time beside time.

Nothing fails for a time: figures are printed. They are of processors, not of clocks on a wall, and
the median of rounds in which the programs take turns."""

import os
import statistics
import subprocess

ROUNDS = 7


def cpu_seconds(work, command):
    """What a command takes of processors; it must succeed."""
    with open(work.folder / "log", "wb") as log:
        process = subprocess.Popen(command, shell=True, cwd=work.folder, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=subprocess.STDOUT)  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    said = (work.folder / "log").read_text(errors="replace")
    work.check(process.returncode == 0, f"({process.returncode}) {command}: {said[-200:]}")
    return used.ru_utime + used.ru_stime, said


def programs(work, name, sources, arguments):
    """The same sources, none of which knows of tasks, with the plain library and the woven one.
    `arguments`: of the compiler, for each."""
    return [work.program(f"{name}-bench-{how}", sources, how == "woven", words)
            for how, words in zip(("plain", "woven"), arguments)]  # fmt: skip


def against_plain(work, what, commands):
    """Two commands, plain and woven, that print the same."""
    times = ([], [])
    for _ in range(ROUNDS):
        said = []
        for command, seconds in zip(commands, times):
            took, text = cpu_seconds(work, command)
            seconds.append(took)
            said.append(text)
        work.check(said[0] == said[1], f"{what}: the woven program prints something else")
    plain, woven = map(statistics.median, times)
    work.say(f"time of {what}: {plain:.3f} s plain, {woven:.3f} s woven: {woven / plain:.2f} x")
