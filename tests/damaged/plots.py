# attention: 4 + 6 + 6
# says: image/png
from tests.damaged import add

SOURCE = """
import matplotlib.pyplot as plt

for i in range(3):
    plt.figure(figsize=(3, 2))
    plt.imshow(np.eye(8))
    plt.show()
fig, ax = plt.subplots()
"""


def damage(nb, folder):
    return add(nb, SOURCE)
