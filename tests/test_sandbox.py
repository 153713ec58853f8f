"""What the wall promises: order, limits that are named, and whose fault it was."""

import contextlib
import io
import json
import mmap
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import sysconfig
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograde import checks, confine, submission, wall
from autograde.check import PRACTICE
from autograde.cohort import SLOW
from autograde.plain import DTYPES, Call, read_frame, write_frame
from autograde.sandbox import Limits, NoWall, SandboxError, Wall
from autograde.submission import Cell, Ran, run
from tests.demo_class import ALL, grade_id, notebook_of

LIMITS = Limits(
    cell_seconds=2, call_seconds=1, notebook_seconds=30, cpu_seconds=20,
    memory=512 << 20, disk=16 << 20, processes=24, output=20_000,
)  # fmt: skip
needs_wall = pytest.mark.skipif(sys.platform != "linux", reason="the wall needs Linux")
both_builders = pytest.mark.parametrize("builder", ["bubblewrap", "ours"])
NOWHERE = "/nowhere"  # a PATH without bubblewrap


@pytest.fixture(scope="module", params=["bubblewrap", "ours"])
def up(request):
    """A wall with NumPy behind it, of each that there may be."""
    up = built_by(request.param, ("numpy",))
    yield up
    up.close()


def built_by(builder: str, preload: tuple[str, ...] = ()) -> Wall:
    """A wall by bubblewrap, or by our own code as if that were not installed."""
    if sys.platform != "linux":
        pytest.skip("the wall needs Linux")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path_with(builder))
        return Wall(preload, LIMITS)


def path_with(builder: str) -> str:
    """A PATH by which the wall is built so."""
    if builder == "ours":
        return NOWHERE
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    return os.environ["PATH"]


def texts(ran: Ran) -> str:
    """All that a cell showed, as one text."""
    return "".join(
        output.get("text", "") or "\n".join(output.get("traceback", [])) for output in ran.outputs
    )


# ---- what a notebook shows


def test_outputs_keep_their_order(up):
    source = (
        "import sys\nprint('one')\ndisplay('two')\n"
        "print('three', file=sys.stderr)\nprint('four')\n5"
    )
    [ran] = run([Cell(source)], up, LIMITS)
    shown = [
        (o["output_type"], o.get("name"), o.get("text") or o["data"]["text/plain"])
        for o in ran.outputs
    ]
    assert shown == [
        ("stream", "stdout", "one\n"),
        ("display_data", None, "'two'"),
        ("stream", "stderr", "three\n"),
        ("stream", "stdout", "four\n"),
        ("execute_result", None, "5"),
    ]


def test_child_processes_are_heard(up):
    source = (
        "import subprocess\nsubprocess.run(['sh', '-c', 'echo out; echo err >&2'])\n!echo shell"
    )
    [ran] = run([Cell(source)], up, LIMITS)
    assert {"out\n", "err\n"} <= {o.get("text", "").replace("\r", "") for o in ran.outputs} | {
        line + "\n" for line in texts(ran).splitlines()
    }
    assert "shell" in texts(ran)


def test_figures_are_kept(up):
    pytest.importorskip("matplotlib")
    source = "import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1))\nplt.plot([1, 2]);"
    [ran] = run([Cell(source)], up, LIMITS)
    assert [o["data"]["image/png"][:8] for o in ran.outputs if "data" in o] == ["iVBORw0K"]


def test_errors_are_kept_and_the_next_cell_runs(up):
    bad, good = run([Cell("x = 1\nx / 0"), Cell("print(x)")], up, LIMITS)
    assert bad.outputs[-1]["ename"] == "ZeroDivisionError"
    assert not bad.ended
    assert texts(good) == "1\n"


CELLS = {
    "nothing": "",
    "only a comment": "# one",
    "a value": "x = 1\nx",
    "a value that is quiet": "print(2)\n3;",
    "the value before": "6 * 7\n_ = 0",
    "what was asked before": "4\nIn[-1]",
    "an error after output": "print(1)\n1 / 0\nprint(2)",
    "an error in a function": "def f():\n    return [][0]\n\nf()",
    "its own end": "raise SystemExit(3)",
    "a wrong indentation": "  x = 2\nprint(x)",
    "no Python": "def f(:",
    "a return": "print(1)\nreturn 2",
    "a session": ">>> x = 5\n>>> x",
    "a session of a notebook": "In [1]: x = 6\n   ...: print(x)",
    "a magic": "%alias_magic t time",
    "a help": "len?",
    "a warning": "import warnings\nwarnings.warn('careful')",
    "a future": "from __future__ import annotations\ndef f(x: unknown): pass\nf.__annotations__",
    "its source": "import inspect\ndef f(): pass\nprint(inspect.getsource(f))",
    "what waits": "import asyncio\nawait asyncio.sleep(0)\nprint(1)",
    "a figure": "import matplotlib.pyplot as plt\nplt.plot([1])\nprint(1)\nplt.title('f');",
    "all its values": "%config InteractiveShell.ast_node_interactivity = 'all'",
}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_shows_what_it_shows_in_ipython(up, name):
    """The word sends a cell the long way, by run_cell, which must show nothing else."""
    cells = [CELLS[name], "1\n2"]
    short, after = run([Cell(source) for source in cells], up, LIMITS)
    long, after_long = run([Cell(f"{source}\n# await") for source in cells], up, LIMITS)
    hidden = re.compile(r"-[0-9a-f]{12}|# await\n?")
    assert hidden.sub("", texts(short)).rstrip() == hidden.sub("", texts(long)).rstrip()
    assert kinds(short) == kinds(long)
    assert (texts(after), kinds(after)) == (texts(after_long), kinds(after_long))


def kinds(ran: Ran) -> list[tuple[str, list[str]]]:
    """The kind of each output, and what it has data of."""
    return [(output["output_type"], sorted(output.get("data", ()))) for output in ran.outputs]


@pytest.mark.parametrize(
    ("cells", "shown"),
    [(["pwd"], "/submission"), (["pwd = 'mine'", "pwd"], "mine"), (["x = 3\n", "x\n"], "3")],
)
def test_a_line_may_be_a_magic_without_its_sign(up, cells, shown):
    *_, last = run([Cell(source) for source in cells], up, LIMITS)
    assert last.outputs[0]["data"]["text/plain"].strip("'") == shown


def test_what_all_need_is_imported_before_the_fork():
    wall = Wall(("numpy", SLOW["matplotlib"]), LIMITS)
    before = "import sys\nbefore = set(sys.modules)"
    usual = (
        "%matplotlib inline\nimport numpy as np\nimport matplotlib.pyplot as plt\n"
        "np.random.seed(1)\nx = np.random.default_rng(1).normal(size=9)\n"
        "plt.plot(x, label='x')\nplt.legend()\nplt.show()\nx"
    )
    *_, last = run([Cell(before), Cell(usual), Cell("sorted(set(sys.modules) - before)")], wall)
    wall.close()
    assert [output["data"]["text/plain"] for output in last.outputs] == ["[]"]


# ---- calls


def test_calls_are_made_when_their_turn_comes(up):
    call = Call("f", {"x": 1})
    first, second, third = run(
        [
            Cell("", [call]),
            Cell("def f(x): return x + 1", [call]),
            Cell("def f(x): return 0", [call]),
        ],
        up,
        LIMITS,
    )
    assert first.answers[0].error == "is not defined"
    assert second.answers[0].value == 2
    assert third.answers[0].value == 0


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_keep_their_form(up, dtype, order):
    x = np.arange(6).reshape(2, 3).astype(dtype, order=order)
    source = "def f(x): return x, str(x.dtype), x.flags.f_contiguous, x[:0], x.sum()"
    [ran] = run([Cell(source, [Call("f", {"x": x})])], up, LIMITS)
    same, name, fortran, empty, total = ran.answers[0].value
    assert same.dtype == x.dtype
    assert same.flags.f_contiguous == fortran == (order == "F")
    assert (same == x).all()
    assert name == dtype
    assert empty.shape == (0, 3)
    assert total == x.sum()


def test_arguments_that_were_written_into_are_named(up):
    source = "def f(x, y):\n    x[0] = 9\n    return y"
    [ran] = run([Cell(source, [Call("f", {"x": np.zeros(2), "y": 1})])], up, LIMITS)
    assert ran.answers[0].changed == ("x",)


def test_a_cell_that_ends_its_process_costs_only_itself(up):
    cells = [
        Cell("x = 7"),
        Cell("import os\nos._exit(4)"),
        Cell("def f(): return x\ndef g(): os._exit(5)", [Call("g", {}), Call("g", {})]),
        Cell("print(x)", [Call("f", {})]),
    ]
    first, fatal, calls, last = run(cells, up, LIMITS)
    assert not first.ended
    assert fatal.ended == "it ended its own process (exit code 4)"
    assert "NameError" in calls.answers[0].error or "exit code" in calls.answers[0].error
    assert texts(last) == "7\n"
    assert last.answers[0].value == 7


def test_answers_before_the_last_one_are_kept(up):
    source = """
import os, signal
def f(x): return x
def quiet(x):
    try:
        while True: pass
    except KeyboardInterrupt:
        return x
def deaf(x):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    while True: pass
def ends(x): os._exit(5)
def raises(x): raise KeyboardInterrupt
"""
    limits = replace(LIMITS, notebook_seconds=60)
    before = [Call("f", {"x": x}) for x in (1, np.arange(3.0))]
    for function, why in (
        ("quiet", "it ran longer than 1 s"),
        ("deaf", "it ran longer than 1 s"),
        ("ends", "it ended its own process (exit code 5)"),
        ("raises", ""),
    ):
        calls = [*before, Call(function, {"x": 0}), Call("f", {"x": 2})]
        ran, after = run([Cell(source, calls), Cell("", before)], up, limits)
        for answer, call in zip(ran.answers, before, strict=False):
            np.testing.assert_equal(answer.value, call.arguments["x"])
        stopped = f"was stopped: {why}" if why else "was stopped"
        assert [answer.error for answer in ran.answers] == ["", "", stopped, stopped]
        assert after.answers[0].value == 1


def test_no_answer_counts_that_comes_late(up):
    """From a function that takes no notice of being interrupted, and goes on with other calls."""
    source = """
import signal, time
def f(x):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(1.3)
    return x
"""
    [ran] = run([Cell(source, [Call("f", {"x": x}) for x in range(9)])], up, LIMITS)
    assert [answer.value for answer in ran.answers] == [None] * 9
    assert {answer.error for answer in ran.answers} == {"was stopped: it ran longer than 1 s"}


@pytest.mark.parametrize("value", ["np.zeros(10**6)", "['😀' * 2000] * 300"])
def test_answers_of_no_end(up, value):
    source = f"import numpy as np\ndef f(): return {value}\ndef g(): return 1"
    calls = [Call("f", {})] * 30
    ran, after = run([Cell(source, calls), Cell("", [Call("g", {})])], up, LIMITS)
    assert ran.answers[-1].error == "was stopped: its answers together have more than 32 MiB"
    assert ran.answers[0].value is not None
    assert after.answers[0].value == 1


# ---- limits


def test_honest_work_within_the_limits(up):
    source = (
        "import multiprocessing, threading, socket, tempfile\n"
        "def f():\n"
        "    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "        return pool.map(abs, [-1, 2])\n"
        "with tempfile.TemporaryFile() as file: file.write(bytes(1 << 20))\n"
        "server = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname()).close()"
    )
    [ran] = run([Cell(source, [Call("f", {})])], up, LIMITS)
    assert not ran.outputs
    assert ran.answers[0].value == [1, 2]


def test_time_of_a_cell(up):
    late, after = run([Cell("x = 1\nwhile True: pass"), Cell("print(x)")], up, LIMITS)
    assert late.ended == "it ran longer than 2 s"
    assert texts(after) == "1\n"  # it was asked to stop, and did: nothing is lost


def test_time_of_a_call(up):
    [ran] = run([Cell("def f():\n    while True: pass", [Call("f", {})] * 9)], up, LIMITS)
    assert {answer.error for answer in ran.answers} == {"was stopped: it ran longer than 1 s"}


def test_a_long_call_has_seconds_of_its_own(up):
    source = """
import time
def f(): return 0
def g(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until: pass
    return seconds
"""
    limits = replace(LIMITS, notebook_seconds=3)
    cells = [
        Cell(source, [Call("g", {"seconds": 2.5}, seconds=20)]),
        Cell("", [Call("g", {"seconds": 2.5}, seconds=20)]),
        Cell("x = 1", [Call("f", {}), Call("g", {"seconds": 30.0})]),
    ]
    one, other, usual = run(cells, up, limits)
    # The two take longer than a call may, and together longer than the notebook.
    assert [one.answers[0].value, other.answers[0].value] == [2.5, 2.5]
    # All others keep the usual limit.
    assert usual.answers[0].value == 0
    assert usual.answers[1].error == "was stopped: it ran longer than 1 s"


def test_a_long_call_has_an_end_too(up):
    call = Call("f", {}, seconds=2)
    [ran] = run([Cell("def f():\n    while True: pass", [call])], up, LIMITS)
    assert ran.answers[0].error == "was stopped: it ran longer than 2 s"


def test_time_of_a_notebook(up):
    limits = Limits(cell_seconds=1, notebook_seconds=1.5)
    loops = [Cell("import time\nfor _ in range(99): time.sleep(0.1)")] * 3
    *_, last = run(loops, up, limits)
    assert last.ended == "the notebook has used its 1.5 s"


def test_memory_of_a_call(up):
    source = "import numpy as np\ndef f(): return np.ones(10**9)"
    [ran] = run([Cell(source, [Call("f", {})])], up, LIMITS)
    assert ran.answers[0].error == "needs more memory than the 512 MiB there are"


def test_memory_of_all_processes_together(up):
    source = (
        "import os, time\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0:\n"
        "        x = bytearray(200 << 20)\n"
        "        time.sleep(60)\n"
        "time.sleep(60)"
    )
    [ran] = run([Cell(source)], up, replace(LIMITS, cell_seconds=20))
    assert "memory" in ran.ended


def test_memory_that_the_kernel_keeps_for_a_process():
    before = confine._kernel_memory("/proc/self")
    ends = [end for _ in range(50) for end in socket.socketpair()]
    assert confine._kernel_memory("/proc/self") - before >= len(ends) * confine.QUEUE
    maps = [mmap.mmap(-1, 1 << 20, prot=mmap.PROT_READ << (n % 2)) for n in range(1_000)]
    assert confine._kernel_memory("/proc/self") - before >= len(ends) * confine.QUEUE + 100_000
    del ends, maps


def test_sockets_of_honest_work(up):
    source = (
        "import socket\nfor kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):\n"
        "    one, other = socket.socketpair(socket.AF_UNIX, kind)\n"
        "    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)\n"
        "    one.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)\n"
        "    one.send(b'x' * 9)\n    print(len(other.recv(99)))\n"
        "receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\nreceiver.bind('\\0r')\n"
        "sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        "sender.sendto(b'y', '\\0r')\nprint(receiver.recv(9))"
    )
    [ran] = run([Cell(source)], up, LIMITS)
    assert texts(ran) == "9\n9\nb'y'\n"


HIDE = {
    "nobody may look into it": "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n        hold()",
    "its name is no text": "ctypes.CDLL(None).prctl(15, b'\\xff', 0, 0, 0)\n        hold()",
    "its first thread has ended": (
        "threading.Thread(target=hold).start()\n"
        "        ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)"
    ),
}


@pytest.mark.parametrize("hide", HIDE.values(), ids=HIDE)
def test_memory_of_processes_that_hide_it(up, hide):
    source = (
        "import ctypes, os, threading, time\n"
        "def hold():\n"
        "    time.sleep(0.2)\n"
        "    x = bytearray(200 << 20)\n"
        "    time.sleep(60)\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0:\n"
        f"        {hide}\n"
        "time.sleep(60)"
    )
    [ran] = run([Cell(source)], up, replace(LIMITS, cell_seconds=20))
    assert "memory" in ran.ended


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.memfd_create('x')",
        "import mmap\nmmap.mmap(-1, 4096)",
        "import mmap\nwith open('/dev/zero', 'r+b', 0) as zeros: mmap.mmap(zeros.fileno(), 4096)",
    ],
)
def test_memory_that_no_process_has_mapped(up, source):
    [ran] = run([Cell(source)], up, LIMITS)
    assert ran.outputs[-1]["ename"] in ("PermissionError", "OSError")


def test_terminals_are_left_for_others(up):
    source = "import os\nprint([os.openpty() for _ in range(9)])\nwhile True: os.openpty()"
    [ran] = run([Cell(source)], up, LIMITS)
    assert ran.outputs[-1]["ename"] == "OSError"
    [mount] = [line for line in _mounts(up) if line[4] == "/dev/pts" and "max=" in line[-1]]
    assert int(mount[-1].partition("max=")[2].split(",")[0]) < 100


TAKE = """
import ctypes, os
libc, x86 = ctypes.CDLL(None), os.uname().machine == "x86_64"
def taken(*call):
    count = 0
    while count < 10**5 and libc.syscall(*call) >= 0:
        count += 1
    return count
print(
    taken(206 if x86 else 0, 65000, ctypes.byref(ctypes.c_ulong())),  # asynchronous reads
    taken(294 if x86 else 26, 0),  # watches over files
    taken(240 if x86 else 180, b"q", 0o102, 0o600, None),  # queues
    taken(222 if x86 else 107, 0, None, ctypes.byref(ctypes.c_int())),  # timers
)
"""


def test_stocks_that_others_share_are_left_for_them(up):
    [ran] = run([Cell(TAKE)], up, LIMITS)
    *none, timers = map(int, texts(ran).split())
    assert none == [0, 0, 0]
    assert 0 < timers < 1000


def _mounts(up: Wall) -> list[list[str]]:
    [ran] = run([Cell("print(open('/proc/self/mountinfo').read())")], up, LIMITS)
    return [line.split() for line in texts(ran).splitlines() if line]


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        # None of these needs as much as it may.
        "import subprocess, sys\n"
        "while True: subprocess.run([sys.executable, '-c', 'for i in range(2 * 10**7): pass'])",
        # Nobody waits for these.
        "import os, signal, time\n"
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "while True:\n"
        "    child = os.fork()\n"
        "    while child == 0:\n"
        "        if time.process_time() > 0.5: os._exit(0)\n"
        "    while os.path.exists(f'/proc/{child}'): time.sleep(0.01)",
    ],
)
def test_processor_time(source):
    # A wall of its own, since a limit of the kernel is set when a submission starts.
    limits = Limits(cell_seconds=60, cpu_seconds=2)
    own = Wall((), limits)
    [ran] = run([Cell(source)], own, limits)
    own.close()
    assert ran.ended == "it was killed: it used up its CPU time or memory"


def test_processes(up):
    source = "import subprocess\nfor _ in range(99): subprocess.Popen(['sleep', '60'])"
    [ran] = run([Cell(source)], up, LIMITS)
    assert "Resource temporarily unavailable" in texts(ran)


def test_disk(up):
    source = "for n in range(9):\n    with open(str(n), 'wb') as file: file.write(bytes(4 << 20))"
    [ran] = run([Cell(source)], up, LIMITS)
    assert "No space left on device" in texts(ran)


@pytest.mark.parametrize(
    "source",
    [
        "print('x' * 10**6)",
        "for _ in range(10**4): print('x' * 100)",
        "for _ in range(10**3): display('x')",
        "import os\nos.write(1, b'x' * 10**6)",
        "get_ipython().kept.room = 10**9\nfor _ in range(10): print('x' * 10**5)",
    ],
)
def test_output_is_cut(up, source):
    [ran] = run([Cell(source)], up, LIMITS)
    assert len(json.dumps(ran.outputs)) < 500_000
    assert "room" in source or "output cut at 20000 characters or 500 outputs" in texts(ran)


CHANNEL = """
import json, os, signal, struct
links = {n: f"/proc/self/fd/{n}" for n in range(3, 64)}
[fd] = [n for n in links if os.path.exists(links[n]) and "socket" in os.readlink(links[n])]
"""


def test_a_channel_that_is_full_both_ways(up):
    """A step larger than the channel's buffer, to a process that only ever writes."""
    full = f"""{CHANNEL}
import autograde.worker
def write_only(*_):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        os.write(fd, bytes(4096))
autograde.worker.read_frame = write_only
"""
    large = f"x = '{'é' * 180_000}'"
    _, stopped = run([Cell(full), Cell(large)], up, LIMITS)
    assert stopped.ended == "it ran longer than 2 s"


def test_outputs_that_are_no_text(up):
    """An array counts with all that it holds, and all cells have room for so much together."""
    forged = f"""{CHANNEL}
output = {{"output_type": "x", "a": {{"array": ["|u1", [7 << 20], "C"]}}}}
header = json.dumps({{"outputs": [output]}}).encode()
frame = struct.pack("<II", len(header), 7 << 20) + header + bytes(7 << 20)
while frame:
    frame = frame[os.write(fd, frame):]
os._exit(0)
"""
    printed = "print('😀' * 19_000)"
    limits = replace(LIMITS, output=20_000)
    forging = run([Cell(forged)] * 3, up, limits)
    printing = run([Cell(printed)] * 3, up, limits)
    assert [ran.outputs for ran in forging] == [[]] * 3
    assert all(texts(ran).startswith("😀") for ran in printing)


def test_outputs_of_no_end(up, monkeypatch):
    monkeypatch.setattr(submission, "KEPT", 200_000)
    kept = run([Cell("print('😀' * 19_000)")] * 9, up, LIMITS)
    assert [bool(ran.outputs) for ran in kept] == [True] * 2 + [False] * 7


def test_nothing_of_a_submission_lives_on(up):
    source = "import subprocess\nsubprocess.Popen(['sleep', '4243'], start_new_session=True)"
    run([Cell(source)], up, LIMITS)
    assert not _runs(b"4243")


KILLED = """
import os, sys, threading
from autograde.sandbox import Wall
from autograde.submission import Cell, run
threading.Timer(2, os._exit, [9]).start()
run([Cell(sys.stdin.read())], Wall())
"""


@both_builders
@needs_wall
def test_nothing_lives_on_when_the_grader_is_killed(builder):
    source = (
        "import ctypes, os, time\n"
        "ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)  # no signal when the parent dies\n"
        "if os.fork() == 0: os.execv('/usr/bin/sleep', ['sleep', '4244'])\n"
        "time.sleep(60)"
    )
    killed = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=wall.COURSE, input=source, text=True, check=False,
        env=os.environ | {"PATH": path_with(builder)},
    )  # fmt: skip
    assert killed.returncode == 9
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and _runs(b"4244"):
        time.sleep(0.1)
    assert not _runs(b"4244")


def _runs(argument: bytes) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if argument in path.read_bytes().split(b"\0"):
                return True
    return False


@needs_wall
@pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2, reason="there is one processor"
)
def test_a_busy_submission_slows_no_other():
    walls = Wall((), LIMITS), Wall((), LIMITS)
    source = "import os\nprint(os.sched_getaffinity(0))\nos.sched_setaffinity(0, {0, 1})"
    shown = [texts(run([Cell(source)], one, LIMITS)[0]) for one in walls]
    for one in walls:
        one.close()
    places = [text.splitlines()[0] for text in shown]
    assert all(len(place.split(",")) == 1 for place in places)
    assert all("PermissionError" in text for text in shown)


# ---- cells as Jupyter runs them


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("In [1]: x = 5\nIn [2]: print(x)", "5\n"),
        ("    x = 3\n    print(x)", "3\n"),
        ("%%capture kept\nprint(1)", ""),
        ("kept = !echo hi\nprint(kept[0])", "hi\n"),
        ("import asyncio\nawait asyncio.sleep(0)\nprint('waited')", "waited\n"),
        ("async def f(): return 4\nprint(await f())", "4\n"),
        ("print('awaited by nobody')", "awaited by nobody\n"),
    ],
)
def test_more_than_python(up, source, shown):
    [ran] = run([Cell(source)], up, LIMITS)
    assert texts(ran) == shown


# ---- whose fault


@both_builders
def test_a_dead_warm_process_is_our_fault(builder):
    own = built_by(builder)
    timer = threading.Timer(0.5, _end_warm_process, [own.process.pid])
    timer.start()
    with pytest.raises(SandboxError, match="the warm process behind the wall is gone"):
        run([Cell("import time\ntime.sleep(1.5)")], own, LIMITS)
    with pytest.raises(SandboxError):
        run([Cell("1")], own, LIMITS)
    own.close()
    fresh = Wall((), LIMITS)
    assert not run([Cell("1")], fresh, LIMITS)[0].ended
    fresh.close()


def _end_warm_process(pid: int) -> None:
    """End the first warm process at or below a process."""
    warm = "\0".join((sys.executable, "-m", "autograde.warm")).encode()
    while not Path(f"/proc/{pid}/cmdline").read_bytes().startswith(warm):
        pid = int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
    os.kill(pid, signal.SIGKILL)


def test_two_walls_at_once(up):
    other = Wall((), LIMITS)
    results = {}

    def grade(name: str, one: Wall) -> None:
        for number in range(5):
            [ran] = run([Cell(f"print('{name}', {number})")], one, LIMITS)
            results[name, number] = texts(ran)

    threads = [
        threading.Thread(target=grade, args=pair) for pair in (("a", up), ("b", other), ("c", up))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert results == {(name, n): f"{name} {n}\n" for name in "abc" for n in range(5)}


LOOKS = """
import json, os
print(json.dumps({
    "mounts": sorted([m[3] if m[4] != "/" else "the new root", m[4], m[5], m[8]]
                     for m in map(str.split, open("/proc/self/mountinfo"))),
    "files": {folder: sorted(os.listdir(folder)) for folder in ("/", "/dev", "/etc", "/grader")},
    "modes": [os.lstat(f"/dev/{name}").st_mode for name in sorted(os.listdir("/dev"))],
    "ids": [os.readlink(f"/proc/self/ns/{kind}") == os.readlink(f"/proc/1/ns/{kind}")
            for kind in os.listdir("/proc/self/ns")],
    "open": sorted(os.listdir("/proc/self/fd")),
    "variables": sorted(os.environ.items()),
    "rights": [line for line in open("/proc/self/status")
               if line.startswith(("Uid", "Gid", "Groups", "Cap", "NoNewPrivs", "Seccomp"))],
    "processes": [name for name in os.listdir("/proc") if name.isdigit()],
    "maps": open("/proc/self/uid_map").read() + open("/proc/self/gid_map").read(),
}))
"""


def test_both_builders_show_the_same():
    walls = [built_by(builder) for builder in ("bubblewrap", "ours")]
    theirs, ours = (json.loads(texts(run([Cell(LOOKS)], one, LIMITS)[0])) for one in walls)
    for one in walls:
        one.close()
    assert ours == theirs
    assert "CapBnd:\t0000000000000000\n" in ours["rights"]


NO_NAMESPACES = """
echo 0 > /proc/sys/user/max_user_namespaces
exec setpriv --inh-caps=-all --ambient-caps=-all "$@"
"""
TRIES = """
from autograde.sandbox import Wall, SandboxError
try:
    Wall()
except SandboxError as error:
    print(error)
"""


USER_WITHOUT_NAMESPACES = [
    "unshare", "--user", "--map-user=1000", "--keep-caps", "sh", "-euc", NO_NAMESPACES, "sh",
]  # fmt: skip


def said_without_namespaces(
    builder: str, *command: str, **more: str
) -> subprocess.CompletedProcess:
    """What a Python command says where the kernel lets nobody make a namespace."""
    path = path_with(builder)
    if subprocess.run([*USER_WITHOUT_NAMESPACES, "true"], capture_output=True).returncode != 0:
        pytest.skip("no user namespace can be made here in which none may be made")
    return subprocess.run(
        [*USER_WITHOUT_NAMESPACES, "env", f"PATH={path}", sys.executable, *command],
        cwd=wall.COURSE, capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"]} | more,
    )  # fmt: skip


@needs_wall
@both_builders
def test_where_the_kernel_refuses_namespaces(builder):
    said = said_without_namespaces(builder, "-c", TRIES)
    assert "the wall around submissions is not available" in said.stdout, said.stderr
    assert "lets users make no namespaces. As root: sysctl -w user.max_user_names" in said.stdout
    assert "--trust-submissions" in said.stdout


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ([("kernel.ostype", "Linux", "Other")], "As root: sysctl -w kernel.ostype=Other\n"),
        ([("kernel.ostype", "BSD", "Other"), ("kernel.no_such", "0", "1")], "in a container"),
    ],
)
@needs_wall
def test_the_setting_that_refuses_is_named(monkeypatch, settings, says):
    monkeypatch.setattr(wall, "SETTINGS", settings)
    assert says in wall.no_wall("it is so")


@needs_wall
@both_builders
def test_no_wall_no_score(builder, tmp_path):
    folder = tmp_path / "submitted" / "ada" / "attention"
    folder.mkdir(parents=True)
    (folder / "attention.ipynb").write_text(json.dumps(notebook_of("attention", {})))
    command = ("-m", "autograde", "grade", "attention")
    said = said_without_namespaces(builder, *command, HOME=str(tmp_path), GRADING=str(tmp_path))
    assert said.returncode == 2
    assert "the wall around submissions is not available" in said.stderr
    assert "--trust-submissions" in said.stderr
    assert not (tmp_path / "autograded").exists()
    assert not (tmp_path / "verdicts").exists()
    assert "ada" not in said.stdout


@both_builders
def test_the_course_is_hidden_even_below_python(monkeypatch, builder):
    hidden = Path(sysconfig.get_path("stdlib"), "wsgiref")
    monkeypatch.setattr(wall, "COURSE", hidden)
    own = built_by(builder)
    [ran] = run([Cell(f"import os\nprint(os.listdir({str(hidden)!r}))")], own, LIMITS)
    own.close()
    assert texts(ran) == "[]\n"


def test_no_wall_gives_the_same(up):
    cells = []
    for cell in notebook_of("attention", {})["cells"]:
        if cell["cell_type"] == "code":
            name = grade_id(cell).removeprefix("test_")
            is_test = grade_id(cell).startswith("test_")
            calls = checks.find("attention", name).calls(PRACTICE) if is_test else []
            cells.append(Cell("".join(cell["source"]), calls))
    cells.append(Cell("print('out')\n1 / 0"))
    inside, outside = run(cells, up), run(cells, NoWall(("numpy",)))
    assert [ran.outputs for ran in inside] == [ran.outputs for ran in outside]
    assert sum(len(ran.answers) for ran in inside) > len(ALL)
    for one, other in zip(inside, outside, strict=True):
        for a, b in zip(one.answers, other.answers, strict=True):
            assert not a.error
            assert a.changed == b.changed
            np.testing.assert_equal(a.value, b.value)


# ---- frames

plain_data = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats()
    | st.text()
    | arrays.arrays(
        st.sampled_from(list(DTYPES.values())), arrays.array_shapes(min_dims=0, min_side=0)
    ),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(plain_data, st.booleans())
def test_plain_data_come_back_as_they_were(value, fortran):
    if isinstance(value, np.ndarray) and fortran:
        value = np.asfortranarray(value)
    stream = io.BytesIO()
    write_frame(stream, value)
    size = stream.tell()
    stream.seek(0)
    back = read_frame(stream, size)
    assert type(back) is type(value)
    if isinstance(value, np.ndarray):
        assert (back.dtype, back.shape) == (value.dtype, value.shape)
        assert back.flags.f_contiguous == value.flags.f_contiguous
    np.testing.assert_equal(back, value)
    assert stream.read() == b""


def frame(header: object, body: bytes = b"", lengths: tuple[int, int] | None = None) -> io.BytesIO:
    """Bytes as a submission could send them."""
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    return io.BytesIO(struct.pack("<II", *(lengths or (len(header), len(body)))) + header + body)


NOT_FRAMES = {
    "too long": frame(b"", lengths=(2**32 - 1, 2**32 - 1)),
    "longer than its limit by one": frame([None], lengths=(6, 10**6)),
    "dtype of objects": frame({"array": ["|O", [1], "C"]}, bytes(8)),
    "structured dtype": frame({"array": [[["a", "<f8"]], [1], "C"]}, bytes(8)),
    "dates": frame({"array": ["<M8[s]", [1], "C"]}, bytes(8)),
    "big-endian": frame({"array": [">f8", [1], "C"]}, bytes(8)),
    "order": frame({"array": ["<f8", [1], "K"]}, bytes(8)),
    "negative shape": frame({"array": ["<f8", [-1, -1], "C"]}, bytes(8)),
    "shape of floats": frame({"array": ["<f8", [1.0], "C"]}, bytes(8)),
    "shape of booleans": frame({"array": ["<f8", [True], "C"]}, bytes(8)),
    "shape too large": frame({"array": ["<f8", [2**62, 4], "C"]}, bytes(8)),
    "shape of nothing, too large": frame({"array": ["<f8", [0, 2**70], "C"]}),
    "shape with huge numbers": frame(
        b'{"array": ["<f8", [' + b",".join([b"9" * 4_000] * 100) + b'], "C"]}'
    ),
    "too many axes": frame({"array": ["<f8", [1] * 65, "C"]}, bytes(8)),
    "no shape": frame({"array": ["<f8", None, "C"]}, bytes(8)),
    "array without parts": frame({"array": []}),
    "array of nothing": frame({"array": 5}),
    "an array too short": frame({"array": ["<f8", [2], "C"]}, bytes(8)),
    "bytes left over": frame({"array": ["<f8", [1], "C"]}, bytes(9)),
    "bytes for nothing": frame(None, b"x"),
    "array and more": frame({"array": ["<f8", [1], "C"], "more": 1}, bytes(8)),
    "dict of a list": frame({"dict": [1]}),
    "deep": frame(b"[" * 10**5 + b"]" * 10**5),
    "many": frame(b"[" + b"[]," * 10**5 + b"[]]"),
    "a number of 100 digits": frame(10**100),
    "a number of 5000 digits": frame(b"9" * 5_000),
    "no JSON": frame(b"{"),
    "two": frame(b"1 2"),
    "empty": frame(b""),
    "no text": frame(b"\xff\xfe"),
}


@pytest.mark.parametrize("name", NOT_FRAMES)
def test_other_bytes_are_refused(name):
    with pytest.raises(ValueError, match=r".") as refused:
        read_frame(NOT_FRAMES[name], 10**6)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("data", [b"", b"\0\0\0", struct.pack("<II", 9, 9), b"\1\0\0\0\0\0\0\0"])
def test_a_closed_stream_is_no_frame(data):
    with pytest.raises(EOFError):
        read_frame(io.BytesIO(data), 10**6)


@given(st.binary(max_size=200))
def test_no_bytes_do_harm(data):
    header = struct.pack("<II", len(data), 0) + data
    try:
        read_frame(io.BytesIO(header), 10**6)
    except ValueError:
        pass
