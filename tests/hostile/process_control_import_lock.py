# attention: 0
# says: ran longer than
# The lock of imports is never given back, so that the worker cannot import either.
import _imp
import threading

_imp.acquire_lock()
threading.Thread(target=lambda: [_imp.acquire_lock() for _ in range(9)], daemon=True).start()


def attention(Q, K, V):
    worker = threading.Thread(target=lambda: __import__("this"))
    worker.start()
    while worker.is_alive():
        try:
            worker.join()
        except KeyboardInterrupt:
            pass
