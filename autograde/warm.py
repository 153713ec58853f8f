"""Inside the wall: a process that has imported everything and forks for each submission.

It shuts every fork in once more before anything of the submission runs there, watches over it from
outside of what it can see, and tells how it ended. It serves one submission at a time.
"""

import gc
import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from typing import Any, BinaryIO, cast

from autograde import confine, seccomp, shell, worker
from autograde.plain import describe_error, write_frame

WATCH = 0.1  # seconds between looks at what a submission uses


def main() -> None:
    """`warm FD SETTINGS`: serve on the control socket FD; the settings are JSON."""
    control_fd, text = sys.argv[1:]
    settings = json.loads(text)
    try:
        # Capabilities over what it makes for its forks come with a user namespace of its own.
        confine.new_user()
        confine.new_namespaces(confine.CLONE_NEWPID)
        first = os.fork()
        if first == 0:
            confine.own_proc()
    except OSError as error:
        raise SystemExit(describe_error(error)) from None
    if first != 0:
        os.close(int(control_fd))
        _, status = os.waitpid(first, 0)
        raise SystemExit(abs(os.waitstatus_to_exitcode(status)))
    notebook_shell = worker.warmed_up(settings)
    shell.rehearse(notebook_shell)
    worker.seed()
    serve(notebook_shell, int(control_fd), settings)


def serve(notebook_shell: shell.Shell, control_fd: int, settings: dict[str, Any]) -> None:
    """Fork for every socket that arrives on the control socket, until that closes."""
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise SystemExit(f"the warm process has {threads} threads; forking it is not safe")
    control = socket.socket(fileno=control_fd)
    os.sched_setaffinity(0, {settings["processor"]})
    seccomp.filter_code()  # made now, once, and not in every fork
    # What exists now is shared by all forks; collecting it would copy its pages in each.
    gc.collect()
    gc.freeze()
    control.sendall(b"ready")
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 16, 1)
        if not message:
            os._exit(0)
        with socket.socket(fileno=descriptors[0]) as channel:
            one(notebook_shell, control, channel, settings)


def one(
    notebook_shell: shell.Shell,
    control: socket.socket,
    channel: socket.socket,
    settings: dict[str, Any],
) -> None:
    """Serve one submission, from its fork to its end.

    The first thing said on the channel is one byte with a descriptor of the submission's process,
    by which the trusted side kills it and knows that it is dead (no descriptor if there is none).
    Then comes "ready", before anything of the submission runs, or what failed; and at last
    {"ended": code}: the exit code, or minus the signal.
    """
    stream = cast(BinaryIO, channel.makefile("rwb"))
    begin, begun = os.pipe()
    memory = settings["memory"] + confine.resident()  # which the fork shares with this process
    try:
        child = confine.fork_as_first()
    except OSError as error:
        channel.sendall(b"x")
        write_frame(stream, describe_error(error))
        return
    if child == 0:
        try:
            os.close(begun)
            control.close()
            shut_in(settings)
            notebook = shell.Notebook(notebook_shell)
            os.read(begin, 1)
            os.close(begin)
            write_frame(stream, "ready")
        except BaseException as error:
            write_frame(stream, describe_error(error))
            os._exit(1)
        try:
            worker.submission(notebook, stream, stream)
        finally:
            os._exit(0)
    process = os.pidfd_open(child)
    socket.send_fds(channel, [b"p"], [process])
    os.close(begin)
    os.close(begun)
    # Each process has a limit; together they may have no more than a single one.
    seen: dict[tuple[str, bytes], int] = {}
    try:
        # The control socket has nothing for us meanwhile; unless the other side is gone.
        while not select.select([process, control.fileno()], [], [], WATCH)[0]:
            processor = confine.used_processor(seen)
            if confine.used_memory(memory) > memory or processor > settings["cpu_seconds"]:
                os.kill(child, signal.SIGKILL)
    finally:  # should the watch ever fail, nothing goes on without it
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(process)
    with suppress(OSError):  # the submission may have closed the channel
        # It may have filled it too, both ways. The other side would write for ever, and never read.
        channel.shutdown(socket.SHUT_RD)
        write_frame(stream, {"ended": os.waitstatus_to_exitcode(status)})


def shut_in(settings: dict[str, Any]) -> None:
    """Give up, in a fork, all that a submission is not to have."""
    confine.new_namespaces()
    confine.private_mounts(os.environ["HOME"], settings["disk"])
    confine.small_network()
    confine.new_user()
    confine.no_more_users()
    confine.no_huge_pages()
    os.setsid()
    confine.limit_resources(
        settings["memory"], settings["processes"], settings["disk"], settings["cpu_seconds"]
    )
    confine.drop_privileges()
    seccomp.refuse_system_calls()


if __name__ == "__main__":
    main()
