# attention: 0
# Numbers of kinds that are not asked for.
KINDS = [np.complex128, object, "datetime64[s]", "V8", "S8", "U8", np.longdouble, [("a", "f8")]]
called = 0


def attention(Q, K, V):
    global called
    called += 1
    output = np.zeros(Q.shape[:-1] + V.shape[-1:]), np.zeros(Q.shape[:-1] + K.shape[-2:-1])
    return tuple(x.astype(KINDS[called % len(KINDS)]) for x in output)
