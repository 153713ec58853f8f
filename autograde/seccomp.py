"""System calls that the kernel refuses to a submission, for good."""

import ctypes
import errno
import fcntl
import mmap
import platform
import socket
import struct
from functools import lru_cache

from autograde.confine import PR_SET_THP_DISABLE

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33

# As (machine, socket, fcntl, mmap, prctl, setsockopt, calls to refuse). No exercise needs keyrings,
# which hold secrets of whoever started the grader; memory that no process has mapped, so
# that no limit counts it; ways to another processor or into other processes; stocks that the whole
# computer or all of a user's processes share; large parts of the kernel in which errors are found.
SYSTEM_CALLS = {
    "x86_64": (
        0xC000003E, 41, 72, 9, 157, 54,
        {"add_key": 248, "request_key": 249, "keyctl": 250, "memfd_create": 319,
         "memfd_secret": 447, "shmget": 29, "msgget": 68, "semget": 64, "ptrace": 101,
         "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "pidfd_getfd": 438,
         "bpf": 321, "userfaultfd": 323, "vmsplice": 278,
         "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "setxattrat": 463,
         "perf_event_open": 298, "sched_setaffinity": 203, "io_setup": 206, "inotify_init": 253,
         "inotify_init1": 294, "fanotify_init": 300, "io_uring_setup": 425,
         "io_uring_enter": 426, "io_uring_register": 427},
    ),
    "aarch64": (
        0xC00000B7, 198, 25, 222, 167, 208,
        {"add_key": 217, "request_key": 218, "keyctl": 219, "memfd_create": 279,
         "memfd_secret": 447, "shmget": 194, "msgget": 186, "semget": 190, "ptrace": 117,
         "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "pidfd_getfd": 438,
         "bpf": 280, "userfaultfd": 282, "vmsplice": 75,
         "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "setxattrat": 463,
         "perf_event_open": 241, "sched_setaffinity": 122, "io_setup": 0, "inotify_init1": 26,
         "fanotify_init": 262, "io_uring_setup": 425,
         "io_uring_enter": 426, "io_uring_register": 427},
    ),
}  # fmt: skip
SHARED_NOWHERE = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
# How much a socket's queue may hold; names of other levels than SOL_SOCKET have these numbers too.
BUFFERS = (socket.SO_SNDBUF, socket.SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE)
SOCKETS = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6)  # others leave a network namespace


def refuse_system_calls() -> None:
    """Have the kernel refuse SYSTEM_CALLS, sockets of other kinds than SOCKETS, leases, shared
    memory without a file, and huge pages again once they are turned off; BUFFERS keep their size.

    A lease on a file of Python would let others wait when they open it. Shared memory without a
    file outlives its mappings, so that no limit counts it; with one it counts as disk.

    Raises:
        OSError: the kernel cannot, or the machine is of a kind whose calls we do not know.
    """
    code = filter_code()
    room = ctypes.create_string_buffer(code, len(code))
    described = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(room))
    mode = ctypes.c_ulong(SECCOMP_MODE_FILTER)
    if ctypes.CDLL(None).prctl(PR_SET_SECCOMP, mode, ctypes.c_char_p(described), 0, 0) != 0:
        raise OSError(errno.ENOSYS, "the kernel takes no filter of system calls (seccomp)")


@lru_cache
def filter_code() -> bytes:
    """The program that the kernel runs at each system call. Raises OSError as above."""
    if platform.machine() not in SYSTEM_CALLS:
        raise OSError(errno.ENOSYS, f"the system calls of {platform.machine()} are not known")
    machine, make_socket, control_file, map_memory, control, set_option, calls = SYSTEM_CALLS[
        platform.machine()
    ]
    # Of BPF: instruction, how many to skip if so, if not, value.
    load, equal, at_least, keep, end = 0x20, 0x15, 0x35, 0x54, 0x06
    allow, refuse, kill = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
    pretend = 0x00050000  # to have done it
    program = [(load, 0, 0, 4), (equal, 1, 0, machine), (end, 0, 0, kill), (load, 0, 0, 0)]
    program += [(at_least, 0, 1, 0x40000000), (end, 0, 0, refuse)]  # the other numbering of x86
    for call in calls.values():
        program += [(equal, 0, 1, call), (end, 0, 0, refuse)]
    program += [(equal, 0, 5, map_memory), (load, 0, 0, 40), (keep, 0, 0, SHARED_NOWHERE)]
    program += [(equal, 0, 1, SHARED_NOWHERE), (end, 0, 0, refuse), (end, 0, 0, allow)]
    program += [(equal, 0, 4, control_file), (load, 0, 0, 24)]
    program += [(equal, 0, 1, fcntl.F_SETLEASE), (end, 0, 0, refuse), (end, 0, 0, allow)]
    program += [(equal, 0, 4, control), (load, 0, 0, 16)]
    program += [(equal, 0, 1, PR_SET_THP_DISABLE), (end, 0, 0, refuse), (end, 0, 0, allow)]
    sizes = [item for name in BUFFERS for item in ((equal, 0, 1, name), (end, 0, 0, pretend))]
    program += [
        (equal, 0, len(sizes) + 2, set_option),
        (load, 0, 0, 32),
        *sizes,
        (end, 0, 0, allow),
    ]
    program += [(equal, 1, 0, make_socket), (end, 0, 0, allow), (load, 0, 0, 16)]
    for family in SOCKETS:
        program += [(equal, 0, 1, family), (end, 0, 0, allow)]
    program += [(end, 0, 0, refuse)]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)
