# attention: 4 + 6 + 6
from tests.damaged import add

SOURCE = """
import threading
import time

for daemon in (True, False):
    threading.Thread(target=time.sleep, args=(3600,), daemon=daemon).start()
threading.Timer(0.01, lambda: print("late")).start()
"""


def damage(nb, folder):
    return add(nb, SOURCE)
