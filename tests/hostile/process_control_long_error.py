# attention: 0
# says: a ValueError
# An error whose message takes minutes to search for the number of a line.
raise ValueError(" (" * 9_000)


def attention(Q, K, V):
    return V, K
