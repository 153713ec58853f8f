"""What a fork gives up before a submission's code runs in it: names, mounts, privileges, resources.

Linux only. The process that calls this must have a single thread, or the kernel refuses it a user
namespace of its own.
"""

import ctypes
import fcntl
import os
import resource
import socket
import struct
from contextlib import suppress

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 0x2, 0x4, 0x8, 0x1000, 0x4000, 0x40000
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 1, 24, 38, 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
PR_SET_THP_DISABLE = 41
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1
LAST_CAPABILITY = 40
QUEUES = {
    "core/somaxconn": "0",  # one connection waits to be accepted, no more
    "unix/max_dgram_qlen": "0",  # nor more than one datagram to be received
    "ipv4/tcp_rmem": "4096 65536 65536",
    "ipv4/tcp_wmem": "4096 65536 65536",
}
DESCRIPTORS, MAPPINGS = 64, 65_530  # that a process may have; the latter is the kernel's default
QUEUE, MAPPING = 256 << 10, 256  # bytes of the kernel's own for one of them, at most and about
CAPABILITY_VERSION = 0x20080522

libc = ctypes.CDLL(None, use_errno=True)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _CapabilitySet(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


def fork_as_first() -> int:
    """Fork, as os.fork; the child is the first process of a new PID namespace.

    Raises:
        OSError: the kernel refuses; the message says which call.
    """
    with open("/proc/self/ns/pid") as own:
        checked(libc.unshare(CLONE_NEWPID), "unshare")
        child = -1
        try:
            child = os.fork()
        finally:
            if child != 0:  # or the next fork would be born in the namespace of this one
                checked(libc.setns(own.fileno(), CLONE_NEWPID), "setns")
    return child


def new_namespaces(more: int = 0) -> None:
    """Leave the namespaces of mounts, network, IPC, names and control groups for private ones.

    Args:
        more: flags of further kinds.

    Raises:
        OSError: the kernel refuses; the message says which call.
    """
    private = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP
    checked(libc.unshare(private | more), "unshare")


def new_user() -> None:
    """Be the only user there is, with all capabilities over what is made from now on, and no more.

    Raises:
        OSError: the kernel refuses; the message says which call.
    """
    uid, gid = os.getuid(), os.getgid()
    checked(libc.unshare(CLONE_NEWUSER), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")


def no_more_users() -> None:
    """Let no process make a user namespace, in which it would have capabilities again."""
    _write("/proc/sys/user/max_user_namespaces", "0")


def no_huge_pages() -> None:
    """Have pages of the ordinary size only: the kernel keeps a huge one for a small part of it."""
    control(PR_SET_THP_DISABLE, 1)  # refused only where there are none anyway


def own_proc() -> None:
    """Have mounts of its own, and a /proc that shows the process's own PID namespace."""
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)


def private_mounts(work: str, disk: int) -> None:
    """Give the process, the first of its namespaces, its own /proc and empty writable folders.

    Args:
        work: the folder to work in; it becomes an empty file system.
        disk: bytes that the file system holds.
    """
    own_proc()
    safe = MS_NOSUID | MS_NODEV
    mount("tmpfs", work, "tmpfs", safe, f"size={disk},nr_inodes=10000,mode=700")
    mount("tmpfs", "/dev/shm", "tmpfs", safe | MS_NOEXEC, f"size={disk},nr_inodes=1000,mode=700")
    mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=666,max=32")
    # The same to read; but mapped, /dev/zero would be memory that no limit counts.
    mount("/dev/full", "/dev/zero", None, MS_BIND)
    os.chdir(work)


def small_network() -> None:
    """Let the process talk to itself by network; its namespace has no other interface.

    What waits in a socket's queue is memory that no process has, so there is little of it. Older
    kernels have some of these settings for root alone.
    """
    for name, most in QUEUES.items():
        with suppress(FileNotFoundError):
            _write(f"/proc/sys/net/{name}", most)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as interface:
        fcntl.ioctl(interface, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def drop_privileges() -> None:
    """Give up every capability, for good."""
    for capability in range(LAST_CAPABILITY + 1):
        control(PR_CAPBSET_DROP, capability)
    control(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = _CapabilityHeader(CAPABILITY_VERSION, 0)
    checked(libc.capset(ctypes.byref(header), (_CapabilitySet * 2)()), "capset")
    checked(control(PR_SET_NO_NEW_PRIVS, 1), "no_new_privs")


def resident() -> int:
    """Bytes of memory that this process has now."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def used_memory(enough: int) -> int:
    """Bytes that all other processes in sight use; an upper bound if that is below `enough`."""
    used = {process: _own_memory(process) for process in _others()}
    kernel = 0
    for process in used if len(used) > 1 else ():  # for a single one it cannot keep much
        kernel += _kernel_memory(process)
        if kernel >= enough:
            return kernel
    # Pages that a fork shares with its parent were counted twice.
    if sum(used.values(), kernel) >= enough:
        for process in used:
            with suppress(OSError), open(f"{process}/smaps_rollup", "rb") as smaps:
                shares = [int(line.split()[1]) << 10 for line in smaps if line.startswith(b"Pss:")]
                # One that lets nobody look, or whose first thread has ended, keeps its upper bound.
                used[process] = sum(shares) or used[process]
    return sum(used.values(), kernel)


def _own_memory(process: str) -> int:
    """Bytes of a process that no file holds, in memory or swapped out."""
    with suppress(OSError):
        for thread in os.listdir(f"{process}/task"):
            # As bytes: a process may give itself a name that is no text.
            with open(f"{process}/task/{thread}/status", "rb") as status:
                own = [line for line in status if line.startswith((b"RssAnon:", b"VmSwap:"))]
            if own:  # a thread that has ended tells nothing
                return sum(int(line.split()[1]) << 10 for line in own)
    return 0


def _kernel_memory(process: str) -> int:
    """Bytes that the kernel may keep for a process, in its sockets' queues and for its mappings."""
    kept = 0
    try:
        kept += QUEUE * len(os.listdir(f"{process}/fd"))
        with open(f"{process}/maps", "rb") as maps:
            kept += MAPPING * sum(1 for _ in maps)
    except PermissionError:  # it lets nobody look
        return QUEUE * DESCRIPTORS + MAPPING * MAPPINGS
    except OSError:  # it is gone
        return kept
    return kept


def used_processor(seen: dict[tuple[str, bytes], int]) -> float:
    """Seconds that all other processes in sight have run, those that have ended included.

    A parent has the time of the children that it waited for. What it never waited for, as it
    ignores that they end, is counted as it was when last seen.

    Args:
        seen: (process, when it started) -> its clock ticks; empty at first, and kept from one
            look to the next.
    """
    ticks = 0
    for process in _others():
        with suppress(OSError), open(f"{process}/stat", "rb") as stat:
            numbers = stat.read().rpartition(b")")[2].split()
            own, children = sum(map(int, numbers[11:13])), sum(map(int, numbers[13:15]))
            seen[process, numbers[19]] = own
            ticks += own + children
    return max(ticks, sum(seen.values())) / os.sysconf("SC_CLK_TCK")


def _others() -> list[str]:
    """The folders in /proc of all processes but this one."""
    own = str(os.getpid())
    return [f"/proc/{name}" for name in os.listdir("/proc") if name.isdigit() and name != own]


def limit_resources(memory: int, processes: int, file: int, cpu_seconds: int) -> None:
    """Cap what the process and each of its children may use.

    Args:
        memory: bytes beyond what the process has mapped already.
        processes: how many, threads included.
        file: bytes of one file.
        cpu_seconds: of processor time.
    """
    with open("/proc/self/statm") as statm:
        mapped = int(statm.read().split()[0]) * resource.getpagesize()
    for what, most in (
        (resource.RLIMIT_AS, mapped + memory),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, file),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_NOFILE, DESCRIPTORS),  # each may be a socket, with memory of the kernel's
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_SIGPENDING, 4 * processes),  # timers too; all of a user's share one stock
        (resource.RLIMIT_MSGQUEUE, 0),  # and so they do of this
    ):
        resource.setrlimit(what, (most, most))


def die_with_parent(signal: int) -> None:
    """Have the kernel send this process a signal when its parent ends."""
    control(PR_SET_PDEATHSIG, signal)


def mount(source, target, kind, flags, options=None) -> None:
    """mount(2). Raises OSError where the kernel refuses."""
    source, target, kind, options = (
        None if text is None else text.encode() for text in (source, target, kind, options)
    )
    result = libc.mount(source, target, kind, ctypes.c_ulong(flags), options)
    checked(result, f"mount {target.decode()}")


def control(option: int, value: int) -> int:
    """prctl(2) with one argument."""
    return libc.prctl(option, *(ctypes.c_ulong(n) for n in (value, 0, 0, 0)))


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def checked(result: int, what: str) -> None:
    """Raise the error that a call of the C library has left, if it has."""
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
