"""The namespaces and the root of the wall, where bubblewrap is not installed.

`bubble OPTIONS -- COMMAND` reads those options of bubblewrap that the wall gives it, and does the
same: namespaces of its own, a root of what is shown in it, no capabilities, and then the command
as the first process. As root it becomes nobody first. It needs Linux 5.12.
"""

import ctypes
import os
import signal
import stat
import sys

from autograde import confine
from autograde.confine import MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_PRIVATE, MS_REC
from autograde.wall import NOBODY

ARGUMENTS = {
    "--unshare-all": 0, "--as-pid-1": 0, "--clearenv": 0,  # it does no less
    "--ro-bind": 2, "--ro-bind-try": 2, "--symlink": 2, "--tmpfs": 1, "--remount-ro": 1,
    "--proc": 1, "--dev": 1, "--chdir": 1, "--setenv": 2,
}  # fmt: skip
DEVICES = ("full", "null", "random", "tty", "urandom", "zero")
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442  # on every kind of machine
OPEN_TREE_CLONE, AT_RECURSIVE, AT_EMPTY_PATH, MOVE_FROM_DESCRIPTOR = 0x1, 0x8000, 0x1000, 0x4
READ_ONLY, NO_SETUID, NO_DEVICES = 0x1, 0x2, 0x4  # of mount_setattr
AT_FDCWD, MNT_DETACH, PR_SET_DUMPABLE = -100, 0x2, 4


def main() -> None:
    """Build the wall, and run the command behind it."""
    end = sys.argv.index("--")
    options, command = _parsed(sys.argv[1:end]), sys.argv[end + 1 :]
    try:
        if os.geteuid() == 0:
            become(NOBODY)
        confine.new_user()
        confine.new_namespaces(confine.CLONE_NEWPID)
        first = os.fork()
        if first == 0:
            confine.die_with_parent(signal.SIGKILL)
            variables = build(options)
            confine.drop_privileges()
            os.execve(command[0], command, variables)
    except OSError as error:
        raise SystemExit(f"the kernel refuses it: {error}") from None
    confine.drop_privileges()
    _, status = os.waitpid(first, 0)
    raise SystemExit(abs(os.waitstatus_to_exitcode(status)))


def become(user: int) -> None:
    """Be a user without any groups or rights, for good."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    # Or the kernel would keep this process from its own files in /proc, which make the namespaces.
    confine.control(PR_SET_DUMPABLE, 1)


def build(options: list[tuple[str, list[str]]]) -> dict[str, str]:
    """Go from the root that there is to one that holds what the options show in it.

    Returns:
        The environment that they set.
    """
    safe = MS_NOSUID | MS_NODEV
    confine.mount(None, "/", None, MS_REC | MS_PRIVATE)
    # The kernel gives a new /proc only to those who still see one.
    confine.mount("proc", "/proc", "proc", safe | MS_NOEXEC)
    trees = [
        opened(given[0])
        if option == "--ro-bind" or (option == "--ro-bind-try" and os.path.exists(given[0]))
        else None
        for option, given in options
    ]
    processes, *devices = map(opened, ("/proc", *(f"/dev/{name}" for name in DEVICES)))
    confine.mount("tmpfs", "/tmp", "tmpfs", safe, "mode=755")
    os.chdir("/tmp")
    confine.checked(confine.libc.pivot_root(b".", b"."), "pivot_root")
    confine.checked(confine.libc.umount2(b".", MNT_DETACH), "umount")  # the old root, over the new
    os.chdir("/")
    variables = {}
    for (option, arguments), tree in zip(options, trees, strict=True):
        match option, arguments:
            case "--ro-bind" | "--ro-bind-try", [_, target]:
                if tree is not None:
                    change(tree, "", READ_ONLY | NO_SETUID | NO_DEVICES, AT_RECURSIVE)
                    attach(tree, target)
            case "--symlink", [to, name]:
                os.makedirs(os.path.dirname(name), exist_ok=True)
                os.symlink(to, name)
            case "--tmpfs", [target]:
                os.makedirs(target, exist_ok=True)
                confine.mount("tmpfs", target, "tmpfs", safe, "mode=755")
            case "--remount-ro", [target]:
                change(AT_FDCWD, target, READ_ONLY)
            case "--proc", [target]:
                attach(processes, target)
            case "--dev", [target]:
                _devices(target, devices)
            case "--chdir", [target]:
                os.chdir(target)
                variables["PWD"] = target
            case "--setenv", [name, value]:
                variables[name] = value
    return variables


def opened(path: str) -> int:
    """A copy of what is mounted at a path and below it, mounted nowhere yet."""
    flags = OPEN_TREE_CLONE | os.O_CLOEXEC | AT_RECURSIVE
    tree = confine.libc.syscall(OPEN_TREE, AT_FDCWD, path.encode(), flags)
    confine.checked(min(tree, 0), f"open_tree {path}")
    return tree


def attach(tree: int, target: str) -> None:
    """Mount a copy at a path, which is made if it is not there."""
    if stat.S_ISDIR(os.fstat(tree).st_mode):
        os.makedirs(target, exist_ok=True)
    elif not os.path.lexists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT))
    result = confine.libc.syscall(
        MOVE_MOUNT, tree, b"", AT_FDCWD, target.encode(), MOVE_FROM_DESCRIPTOR
    )
    confine.checked(result, f"move_mount {target}")
    os.close(tree)


def change(at: int, path: str, more: int, below: int = 0) -> None:
    """Take from a mount, and with AT_RECURSIVE from those below it, what may be done in it."""
    attributes = (ctypes.c_uint64 * 4)(more, 0, 0, 0)
    flags = below | (0 if path else AT_EMPTY_PATH)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    result = confine.libc.syscall(MOUNT_SETATTR, at, path.encode(), flags, attributes, size)
    confine.checked(result, f"mount_setattr {path}")


def _parsed(arguments: list[str]) -> list[tuple[str, list[str]]]:
    options = []
    while arguments:
        option, *arguments = arguments
        count = ARGUMENTS[option]
        options.append((option, arguments[:count]))
        arguments = arguments[count:]
    return options


def _devices(folder: str, devices: list[int]) -> None:
    os.makedirs(folder)
    confine.mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755")
    for name, device in zip(DEVICES, devices, strict=True):
        change(device, "", NO_SETUID)
        attach(device, f"{folder}/{name}")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"{folder}/{name}")
    for name, to in (("fd", "/proc/self/fd"), ("core", "/proc/kcore"), ("ptmx", "pts/ptmx")):
        os.symlink(to, f"{folder}/{name}")
    os.mkdir(f"{folder}/shm")
    os.mkdir(f"{folder}/pts")
    options = "newinstance,ptmxmode=666,mode=620"
    confine.mount("devpts", f"{folder}/pts", "devpts", MS_NOSUID | MS_NOEXEC, options)


if __name__ == "__main__":
    main()
