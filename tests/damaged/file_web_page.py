# attention: 0 + 0 + 0
# says: not a notebook (JSON)
# The log-in page of a learning platform, saved under the notebook's name.


def damage(nb, folder):
    return "<!DOCTYPE html><html><head><script>harm()</script></head><body>Log in</body></html>"
