"""The wall itself: the command that starts the warm process behind it.

bubblewrap builds it; where that is not installed, our own bubble.py does, from the same options.
Inside there is a root in which this repository, homes and other submissions do not exist: only the
system's libraries, Python with its packages, and the few modules of ours that are needed, all of
it read-only.
"""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
COURSE = PACKAGE.parent
# All of ours that is let in.
INSIDE = (
    "__init__.py", "plain.py", "confine.py", "seccomp.py", "shell.py", "worker.py", "warm.py",
)  # fmt: skip
WORK = "/submission"  # where a submission works and may write
NOBODY = 65534  # the user that the wall's processes have when the grader is root
# By which a kernel keeps namespaces from users: name, value that does, value that does not.
SETTINGS = (
    ("kernel.unprivileged_userns_clone", "0", "1"),  # Debian's
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),  # Ubuntu's
    ("user.max_user_namespaces", "0", "10000"),
)


class SandboxError(Exception):
    """The grader failed, not the learner: grade again, and take no points."""


def walled_python() -> list[str]:
    """The command that starts `python -m autograde.warm` behind the wall."""
    if sys.platform != "linux":
        raise SandboxError(no_wall(f"{sys.platform} has no user namespaces"))
    python = [Path(sys.prefix), Path(sys.base_prefix), Path(sysconfig.get_path("stdlib"))]
    folders = [path for path in dict.fromkeys(python) if not path.is_relative_to("/usr")]
    modules = [PACKAGE / name for name in INSIDE]
    root = os.geteuid() == 0
    sources = [f"/run/{i}" if root else str(p) for i, p in enumerate([*folders, *modules])]
    shown = [*map(str, folders), *(f"/grader/autograde/{name}" for name in INSIDE)]
    # The warm process is the first of its namespace: when it ends, so does everything in there.
    command = ["--unshare-all", "--as-pid-1", "--clearenv", "--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        if os.path.islink(name):
            command += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            command += ["--ro-bind", name, name]
    for name in ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", "/etc/fonts"):
        command += ["--ro-bind-try", name, name]
    for source, target in zip(sources, shown, strict=True):
        command += ["--ro-bind", source, target]
    for private in dict.fromkeys((COURSE, Path.home())):
        if private in folders:
            raise SandboxError(no_wall(f"Python is installed in {private} itself"))
        if any(private.is_relative_to(folder) for folder in (Path("/usr"), *folders)):
            command += ["--tmpfs", str(private)]  # never seen, wherever it lies
            for source, folder in zip(sources, folders, strict=False):
                if folder.is_relative_to(private):
                    command += ["--ro-bind", source, str(folder)]
            command += ["--remount-ro", str(private)]
    # Read-only too: what one submission wrote there, the next ones would find.
    command += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"]
    command += ["--tmpfs", WORK, "--chdir", WORK]
    if not any(Path(path).is_relative_to("/tmp") for path in shown):
        command += ["--symlink", WORK, "/tmp"]
    variables = environment() | {
        "HOME": WORK,
        "TMPDIR": WORK,
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONPATH": "/grader",
    }
    for name, value in variables.items():
        command += ["--setenv", name, value]
    command += ["--remount-ro", "/", "--", sys.executable, "-m", "autograde.warm"]
    command = [*_builder(root), *command]
    return _staged([*folders, *modules], command) if root else command


def _builder(root: bool) -> list[str]:
    """bubblewrap, or what does the same where it is not installed; for root as nobody."""
    nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    bwrap = shutil.which("bwrap")
    if bwrap:
        return [*nobody, "--inh-caps=-all", bwrap] if root else [bwrap]
    # This Python may be closed to nobody, so ours starts as root and becomes nobody by itself.
    ours = f"PYTHONPATH={PACKAGE.parent}"
    return ["env", ours, sys.executable, "-SPm", "autograde.bubble"]


def _staged(paths: list[Path], command: list[str]) -> list[str]:
    """Run a command where nobody finds the paths at /run/0, /run/1, …

    Root's own folders are often closed to others, so they are shown to nobody in a mount
    namespace of their own. Had bubblewrap root's rights, the kernel would refuse /proc to the
    forks, since bubblewrap would have covered parts of it.
    """
    script = """
        mount -t tmpfs -o mode=755 staging /run
        n=0
        while [ "$1" != -- ]; do
            if [ -d "$1" ]; then mkdir /run/$n; else : > /run/$n; fi
            mount --bind "$1" /run/$n
            n=$((n + 1))
            shift
        done
        shift
        exec "$@"
    """
    start = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", script, "sh"]
    return [*start, *map(str, paths), "--", *command]


def environment() -> dict[str, str]:
    """What a worker needs to know: one thread each, figures as in a notebook, sets in one order."""
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return dict.fromkeys(threads, "1") | {
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",  # else what a cell shows of a set differs from run to run
        "PYTHONUTF8": "1",
    }


def no_wall(reason: str) -> str:
    """What to say where there can be no wall: why, what to do about it, how to go on without."""
    refusing = [f"sysctl -w {name}={good}" for name, bad, good in SETTINGS if _setting(name) == bad]
    if refusing:
        fix = f"This kernel lets users make no namespaces. As root: {'; '.join(refusing)}"
    else:
        fix = (
            "It needs a kernel that lets users make namespaces: Linux 5.12 or newer (5.3 with "
            "bubblewrap); in a container, profiles (seccomp, AppArmor) and a /proc that allow them."
        )
    return (
        f"the wall around submissions is not available: {reason}\n{fix}\n"
        "To grade without it, only for code that you trust: --trust-submissions"
    )


def _setting(name: str) -> str:
    """A setting of the kernel; empty if it has none of that name."""
    path = Path("/proc/sys", *name.split("."))
    return path.read_text().strip() if path.exists() else ""
