"""Where notebooks are graded at once: processes of this computer, or a Dask cluster."""

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, cast

# A cluster of our own is gone with its run. What Dask measures of itself, up to a hundred times a
# second for a dashboard that nobody opens, would take a tenth of a processor. Nor is it news that
# workers lose their scheduler when a run is stopped; what becomes of a submission, the run says.
UNWATCHED = {
    "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED": "critical",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "1s",
}


@contextmanager
def local(workers: int) -> Iterator[Executor]:
    """Processes of this computer, each with a warm process of its own behind the wall."""
    with _Pool(workers, _Spawn(), initializer=_end_with_leader) as executor:
        try:
            yield executor
        except (KeyboardInterrupt, GeneratorExit):
            # Nobody waits for what they have begun, and they do not hear Ctrl-C.
            for worker in multiprocessing.active_children():
                worker.terminate()
            raise


@contextmanager
def uninterrupted() -> Iterator[None]:
    """What happens whole or not at all: Ctrl-C comes after it."""
    came = []
    before = signal.signal(signal.SIGINT, lambda *_: came.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


class _Pool(ProcessPoolExecutor):
    """A pool that can be closed whenever Ctrl-C comes, and whatever becomes of its workers."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        # Before Python 3.11.5, a pool whose workers have died while it was sending them something
        # goes on sending for ever (python/cpython issue 94777), as its own end is open to read.
        if sys.version_info < (3, 11, 5) and self._broken:
            cast(Any, self)._call_queue._reader.close()
        super().shutdown(wait, cancel_futures=cancel_futures)

    def submit(self, *given: Any, **named: Any) -> Future:
        with uninterrupted():
            return super().submit(*given, **named)


class _Worker(SpawnProcess):
    """A process that does not hear Ctrl-C, from its first line on: its leader ends it."""

    def start(self) -> None:
        with _deaf():
            super().start()


class _Spawn(SpawnContext):
    """Spawned, not forked: a fork would share threads and sockets with this process."""

    Process = _Worker


@contextmanager
def _deaf() -> Iterator[None]:
    """What is started meanwhile does not hear Ctrl-C, and for that this process does not either."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end_with_leader() -> None:
    """End this process, and the wall that it has started, when the one that leads the run ends.

    Whoever is killed tells its workers nothing, and they would wait for work for ever.
    """
    leader = multiprocessing.parent_process()
    assert leader, "only a worker has a leader"

    def wait() -> None:
        leader.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextmanager
def dask(address: str, workers: int) -> Iterator[Executor]:
    """The workers of a Dask cluster.

    Args:
        address: of its scheduler, such as tcp://10.0.0.1:8786; "local" starts a cluster here.
        workers: how many, if it is started here; each has a single thread.

    Raises:
        OSError: no scheduler answers there.
    """
    from dask import config  # most courses need no cluster
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        if address == "local":
            # Its workers have had their last task when it closes; that some are slow to end, and
            # are killed, is no news.
            logging.getLogger("distributed.nanny").setLevel(logging.ERROR)
            stack.enter_context(config.set(UNWATCHED))
            with _deaf():
                cluster = LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    memory_limit=None,
                    dashboard_address=None,
                )
            address = stack.enter_context(cluster).scheduler_address
        yield stack.enter_context(Client(address)).get_executor()
