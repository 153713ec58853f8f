# attention: 0
# says: ModuleNotFoundError
# The grader's own answer, if it could be imported.
def attention(Q, K, V):
    from autograde.reference.attention import attention as theirs

    return theirs(Q, K, V)
