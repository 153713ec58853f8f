"""Inside the wall: run a submission's cells and make the calls that are asked for.

Two ways to start it. `serve` is a warm process that has imported everything and forks for every
submission; `once` serves one submission and ends, without any wall. Neither holds a check, a
reference or an expected value: what is not here cannot be taken.

What comes in: {"run": source, "number": of the cell}, or
{"calls": [{"function": …, "arguments": {…}, "probe": source}]}.
What goes out: {"outputs": […]}, or for each call {"value": …, "error": …, "changed": […]}, up to
one that was stopped; when a forked submission ends, {"ended": code}: its exit code, or minus the
signal.
"""

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO, cast

from autograde import shell
from autograde.plain import STOPPED, describe_error, read_frame, write_frame

WATCH = 0.1  # seconds between looks at the memory of a submission
MESSAGE, THINGS = 256 << 20, 1_000_000  # bytes and things of a message from the trusted side


def main() -> None:
    """`worker serve FD SETTINGS` or `worker once SETTINGS`; the settings are JSON."""
    way, *rest = sys.argv[1:]
    settings = json.loads(rest[-1])
    notebook_shell = shell.start(settings["output"])
    for module in settings["preload"]:
        importlib.import_module(module)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    if way == "once":
        reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        submission(shell.Notebook(notebook_shell), reader, writer)
    else:
        serve(notebook_shell, int(rest[0]), settings)


def serve(notebook_shell: shell.Shell, control_fd: int, settings: dict[str, Any]) -> None:
    """Fork for every socket that arrives on the control socket, until that closes."""
    importlib.import_module("autograde.confine")  # now, once, and not in every fork
    importlib.import_module("autograde.seccomp")
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise SystemExit(f"the warm process has {threads} threads; forking it is not safe")
    control = socket.socket(fileno=control_fd)
    os.sched_setaffinity(0, {settings["processor"]})
    # What exists now is shared by all forks; collecting it would copy its pages in each.
    gc.collect()
    gc.freeze()
    control.sendall(b"ready")
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 16, 1)
        if not message:
            _reap()
            os._exit(0)
        if os.fork() == 0:
            control.close()
            guard(notebook_shell, socket.socket(fileno=descriptors[0]), settings)
        os.close(descriptors[0])
        _reap()


def guard(notebook_shell: shell.Shell, channel: socket.socket, settings: dict[str, Any]) -> None:
    """Stand between the warm process and one submission: shut it in, tell how it ended.

    The first thing said on the channel is one byte with a descriptor of the submission's process,
    by which the trusted side kills it and knows that it is dead (no descriptor if there is none).
    Then comes "ready", before anything of the submission runs, or what failed.
    """
    from autograde import (  # not before here, since `once` also runs where this cannot
        confine,
        seccomp,
    )

    stream = cast(BinaryIO, channel.makefile("rwb"))
    begin, begun = os.pipe()
    mounting, mounted = os.pipe()
    memory = settings["memory"] + confine.resident()  # which the fork shares with this process
    try:
        confine.new_namespaces()
        child = os.fork()
    except OSError as error:
        channel.sendall(b"x")
        write_frame(stream, describe_error(error))
        os._exit(1)
    if child == 0:
        try:
            os.close(begun)
            os.close(mounting)
            os.read(begin, 1)
            os.close(begin)
            confine.die_with_parent(signal.SIGKILL)
            confine.private_mounts(os.environ["HOME"], settings["disk"])
            os.close(mounted)
            confine.loopback_up()
            os.setsid()
            confine.limit_resources(
                settings["memory"], settings["processes"], settings["disk"], settings["cpu_seconds"]
            )
            confine.drop_privileges()
            seccomp.refuse_system_calls()
            notebook = shell.Notebook(notebook_shell)
            write_frame(stream, "ready")
        except BaseException as error:
            write_frame(stream, describe_error(error))
            os._exit(1)
        try:
            submission(notebook, stream, stream)
        finally:
            os._exit(0)
    process = os.pidfd_open(child)
    socket.send_fds(channel, [b"p"], [process])
    os.close(begun)
    os.close(mounted)
    os.read(mounting, 1)  # comes to its end when /proc has the submission's processes and no others
    # Each process has a limit; together they may have no more than a single one.
    seen: dict[tuple[str, bytes], int] = {}
    try:
        while not select.select([process], [], [], WATCH)[0]:
            processor = confine.used_processor(seen)
            if confine.used_memory(memory) > memory or processor > settings["cpu_seconds"]:
                os.kill(child, signal.SIGKILL)
    finally:  # should the watch ever fail, nothing goes on without it
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with suppress(OSError):  # the submission may have closed the channel
        write_frame(stream, {"ended": os.waitstatus_to_exitcode(status)})
    os._exit(0)


def submission(notebook: shell.Notebook, reader: BinaryIO, writer: BinaryIO) -> None:
    """Do what is asked, step by step, until the other side closes the stream."""
    # An interrupt is for the learner's code, never for a frame that is half written.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            step = read_frame(reader, MESSAGE, THINGS)
        except EOFError:
            return
        for part in _parts(notebook, step):
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                result = part()
            except KeyboardInterrupt:
                result = {"outputs": [], "value": None, "error": STOPPED, "changed": []}
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            write_frame(writer, result)
            if result.get("error") == STOPPED:
                break


def _parts(notebook: shell.Notebook, step: dict[str, Any]) -> list[Callable[[], dict[str, Any]]]:
    """What there is to do, each part with a result of its own."""

    def run() -> dict[str, Any]:
        return {"outputs": notebook.run(step["run"], step["number"])}

    def call(function: str, arguments: dict[str, Any], probe: str) -> dict[str, Any]:
        given = notebook.call(function, arguments, probe)
        return {"value": given.value, "error": given.error, "changed": list(given.changed)}

    return [run] if "run" in step else [partial(call, **of) for of in step["calls"]]


def _reap() -> None:
    """Take note of the guards that ended; each has told its own story."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    main()
