"""A check accepts every right answer, knows each mistake it names, and is not fooled."""

import numpy as np
import pytest
import torch

from autograde import checks
from autograde.check import PRACTICE
from tests.mistakes import CHECKS, alike, survivors

SEEDS = [PRACTICE, "one release", "another release"]


@pytest.fixture(params=CHECKS)
def name(request):
    return request.param


@pytest.fixture
def check(name):
    return CHECKS[name]


# ---- what a check declares


def test_a_check_is_found_by_its_chapter_and_function(name, check):
    assert checks.find(*name.split(".")) is check
    assert check.name == name.split(".")[1]


def test_a_check_that_does_not_exist_is_not_found():
    for chapter, function in [("vectors", "nothing"), ("nothing", "softmax")]:
        with pytest.raises(LookupError, match="nothing"):
            checks.find(chapter, function)


def test_hints_are_one_or_two_plain_sentences(check):
    for hint in (*check.mistakes, *check.properties):
        assert hint.endswith(".")
        assert hint.count(". ") <= 1
        assert len(hint) <= 120
        assert not any(code in hint for code in ("np.", "axis=", "()", "@", "\n"))


def test_the_same_seed_draws_the_same_and_another_seed_draws_anew(check):
    def arguments(seed: str) -> str:
        return repr([call.arguments for call in check.calls(seed)])

    check._drawn.cache_clear()
    first = arguments("one release")
    check._drawn.cache_clear()
    assert arguments("one release") == first
    if any(call.arguments for call in check.calls()):
        assert arguments("another release") != first


# ---- right answers


@pytest.mark.parametrize("seed", SEEDS)
def test_the_reference_passes(check, seed):
    verdict = check.verdict(check.reference, seed)
    assert verdict.fraction == 1
    assert not verdict.hint
    assert not verdict.note
    assert "✗" not in verdict.text()


def cosines_one_by_one(X):
    C = np.zeros((len(X), len(X)), X.dtype if X.dtype == np.float32 else float)
    for i, x in enumerate(X):
        for j, y in enumerate(X):
            lengths = np.sqrt(np.sum(x**2.0) * np.sum(y**2.0))
            C[i, j] = np.dot(x, y) / lengths if lengths else 0
    return C


def cosines_by_torch(X):
    X = torch.from_numpy(X if X.dtype == np.float32 else X.astype(float))
    return torch.nn.functional.cosine_similarity(X[:, None], X[None], dim=-1)


def softmax_one_by_one(z, axis=-1, temperature=1.0):
    def of_a_row(row):
        largest = max(row)
        powers = [np.exp((score - largest) / temperature) for score in row]
        return np.array([power / sum(powers) for power in powers])

    return np.apply_along_axis(of_a_row, axis, z)


def softmax_through_logarithms(z, axis=-1, temperature=1.0):
    z = z / temperature
    return np.exp(z - np.logaddexp.reduce(z, axis=axis, keepdims=True))


def softmax_in_float32(z, axis=-1, temperature=1.0):
    z = z.astype(np.float32) / np.float32(temperature)
    powers = np.exp(z - z.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def softmax_by_torch(z, axis=-1, temperature=1.0):
    return torch.softmax(torch.from_numpy(z).float() / temperature, dim=axis)


def look_up_one_by_one(q, K, V, beta=1.0):
    scores = [beta * sum(a * b for a, b in zip(q, k, strict=True)) for k in K]
    powers = [np.exp(score - max(scores)) for score in scores]
    weights = np.array([power / sum(powers) for power in powers])
    output = np.zeros(V.shape[1])
    for weight, value in zip(weights, V, strict=True):
        output += weight * value
    return output, weights


def look_up_by_torch(q, K, V, beta=1.0):
    q, K, V = (torch.from_numpy(array).float() for array in (q, K, V))
    weights = torch.softmax(beta * K @ q, 0)
    return weights @ V, weights


def attention_one_by_one(Q, K, V):
    if Q.ndim > 2:
        parts = [attention_one_by_one(*sequence) for sequence in zip(Q, K, V, strict=True)]
        return tuple(np.stack(part) for part in zip(*parts, strict=True))
    rows = [look_up_one_by_one(q, K, V) for q in Q]
    return tuple(np.stack(part) for part in zip(*rows, strict=True))


def attention_by_einsum(Q, K, V):
    Q, K, V = (array.astype(np.float32) for array in (Q, K, V))
    weights = softmax_in_float32(np.einsum("...nd,...md->...nm", Q, K))
    return np.einsum("...nm,...md->...nd", weights, V), weights


def attention_by_torch(Q, K, V):
    Q, K, V = (torch.from_numpy(array).float().requires_grad_() for array in (Q, K, V))
    weights = torch.softmax(Q @ K.mT, -1)
    return [weights @ V, weights]


def additive_one_by_one(Q, K, Wq, Wk, v):
    scores = np.empty((*Q.shape[:-1], K.shape[-2]))
    for i in range(Q.shape[-2]):
        for j in range(K.shape[-2]):
            scores[..., i, j] = np.tanh(Q[..., i, :] @ Wq.T + K[..., j, :] @ Wk.T) @ v
    return scores


def additive_by_einsum(Q, K, Wq, Wk, v):
    Q, K, Wq, Wk, v = (array.astype(np.float32) for array in (Q, K, Wq, Wk, v))
    queries, keys = np.einsum("...nd,hd->...nh", Q, Wq), np.einsum("...md,hd->...mh", K, Wk)
    return np.einsum("...nmh,h->...nm", np.tanh(queries[..., None, :] + keys[..., None, :, :]), v)


def one_hot_one_by_one(ids, V):
    rows = [[float(column == word) for column in range(V)] for word in ids.ravel()]
    return np.array(rows, np.float32).reshape(*ids.shape, V)


def one_hot_by_torch(ids, V):
    return torch.nn.functional.one_hot(torch.from_numpy(ids).long(), V).float()


def embed_by_product(ids, E):
    return one_hot_one_by_one(ids, len(E)) @ E


def embed_by_torch(ids, E):
    return torch.from_numpy(E)[torch.from_numpy(ids)]


def self_attention_one_by_one(X, Wq, Wk, Wv):
    return attention_one_by_one(X @ Wq / Wq.shape[1] ** 0.5, X @ Wk, X @ Wv)


def self_attention_by_einsum(X, Wq, Wk, Wv):
    scale = np.float32(1 / np.sqrt(Wk.shape[-1]))
    return attention_by_einsum(
        *(np.einsum("...nd,dk->...nk", X.astype(np.float32), W) for W in (Wq * scale, Wk, Wv))
    )


def self_attention_by_torch(X, Wq, Wk, Wv):
    X, Wq, Wk, Wv = (torch.from_numpy(array).float() for array in (X, Wq, Wk, Wv))
    Q, K, V = X @ Wq, X @ Wk, X @ Wv
    weights = torch.softmax(Q @ K.mT / Wk.shape[1] ** 0.5, -1)
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V), weights


def other_witnesses():
    return {
        "independent_not_orthogonal": np.array([[0.3, 0.1, 0.2, 0.7], [0.5, 0.5, 0.1, 0.2]]),
        "orthogonal_dependent": np.array([[7, 8, 9, 10.0], [0, 0, 0, 0]], np.float32),
        "orthogonal_but_correlated": np.array([[0.1, 0.2, 0.3, 0.1], [3, 3, -4, 3]]),
        "uncorrelated_but_dependent": np.cos(
            np.outer([2, 1], np.pi / 6 + np.arange(4) * np.pi / 2)
        ),
    }


def whole_witnesses():
    return {
        "independent_not_orthogonal": np.array([[1, 2, 3, 4], [4, 3, 2, 1]]),
        "orthogonal_dependent": np.array([[1, 2, 3, 4], [0, 0, 0, 0]]),
        "orthogonal_but_correlated": np.array([[1, 2, 3, 4], [4, 3, 2, -4]]),
        "uncorrelated_but_dependent": np.array([[1, 2, 4, 5], [7, 3, 3, 7]]),
    }


def curved_words(n, d):
    """Growing, and turning a little."""
    X = np.zeros((n, d), np.float32)
    X[:, 0], X[:, 1] = 1.5 ** np.arange(n), 0.1 * np.arange(n)
    return X


def whole_words(n, d):
    return np.outer(3 ** np.arange(n), np.ones(d, int))


def words_whose_scores_overflow(n, d):
    return np.full((n, d), 1e200) * 2.0 ** np.arange(n)[:, None]


def words_whose_scores_underflow(n, d):
    return np.full((n, d), 1e-200) * 2.0 ** np.arange(n)[:, None]


def gauge_from_the_keys(Wq, Wk, R):
    return Wq @ np.linalg.inv(R).T, Wk @ R


def gauge_by_torch(Wq, Wk, R):
    Wq, Wk, R = (torch.from_numpy(array).float() for array in (Wq, Wk, R))
    return Wq @ R.T, torch.linalg.solve(R.T, Wk.T).T


RIGHT = {
    "vectors.cosine_matrix": [cosines_one_by_one, cosines_by_torch],
    "vectors.softmax": [
        softmax_one_by_one,
        softmax_through_logarithms,
        softmax_in_float32,
        softmax_by_torch,
    ],
    "vectors.witnesses": [other_witnesses, whole_witnesses],
    "attention.attend_one": [look_up_one_by_one, look_up_by_torch],
    "attention.attention": [attention_one_by_one, attention_by_einsum, attention_by_torch],
    "attention.additive_scores": [additive_one_by_one, additive_by_einsum],
    "self_attention.one_hot": [one_hot_one_by_one, one_hot_by_torch],
    "self_attention.embed": [embed_by_product, embed_by_torch],
    "self_attention.self_attention": [
        self_attention_one_by_one,
        self_attention_by_einsum,
        self_attention_by_torch,
    ],
    "self_attention.not_self": [
        curved_words,
        whole_words,
        words_whose_scores_overflow,
        words_whose_scores_underflow,
    ],
    "self_attention.gauge": [gauge_from_the_keys, gauge_by_torch],
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("name", "function"), [(name, function) for name in RIGHT for function in RIGHT[name]]
)
def test_a_right_answer_of_another_kind_passes(name, function, seed):
    verdict = CHECKS[name].verdict(function, seed)
    assert verdict.fraction == 1, verdict.text()


def test_a_right_answer_that_writes_into_its_argument_passes_with_a_note():
    def softmax(z, axis=-1, temperature=1.0):
        powers = CHECKS["vectors.softmax"].reference(z, axis, temperature)
        z *= 0
        return powers

    verdict = CHECKS["vectors.softmax"].verdict(softmax)
    assert verdict.fraction == 1
    assert "writes into its argument z" in verdict.text()


# ---- mistakes


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mistake_fails_with_its_own_sentence_and_earns_half_at_most(check, seed):
    assert not survivors(check, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_mistakes_are_told_apart(check, seed):
    assert not alike(check, seed)


def test_no_mistake_fails_everywhere_by_an_exception(check):
    """It could not be told from any other answer that raises."""
    for mistake in check.mistakes.values():
        assert not all(answer.error for answer in check._answers(mistake, PRACTICE))


def test_a_mistake_made_along_with_another_one_is_still_named():
    def softmax(z, axis=-1, temperature=1.0):
        if np.abs(z).max() > 100:
            return np.zeros_like(z)
        return CHECKS["vectors.softmax"].reference(z * temperature, axis)

    verdict = CHECKS["vectors.softmax"].verdict(softmax)
    assert "high temperature" in verdict.hint
    assert verdict.fraction <= 0.5


def test_a_transpose_that_undoes_an_orthogonal_R_is_not_said_not_to():
    verdict = CHECKS["self_attention.gauge"].verdict(lambda Wq, Wk, R: (Wq @ R, Wk @ R.T))
    assert "transpose of R does not undo" in verdict.hint
    assert "keys transposed" in verdict.faults["R orthogonal"]


@pytest.mark.parametrize("where", ["max", "sum"])
def test_attention_that_drops_one_axis_only_is_told_to_keep_it(where):
    def attention(Q, K, V):
        scores = Q @ np.swapaxes(K, -1, -2)
        powers = np.exp(scores - scores.max(-1, keepdims=where != "max"))
        weights = powers / powers.sum(-1, keepdims=where != "sum")
        return weights @ V, weights

    assert "keep the axis" in CHECKS["attention.attention"].verdict(attention).hint


def test_witnesses_with_entries_that_are_nearly_0_earn_half_at_most():
    def witnesses():
        almost = np.array([[2, 1e-9, 1e-9, 1e-9], [2, 2, 1e-9, 1e-9]])
        return other_witnesses() | {"independent_not_orthogonal": almost}

    verdict = CHECKS["vectors.witnesses"].verdict(witnesses)
    assert verdict.hint == "No entry is 0, but in the one zero vector."
    assert verdict.fraction <= 0.5


# ---- answers that deserve nothing


class Liar:
    """Says that it is whatever it is compared with."""

    def __init__(self, right):
        self.right = right

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.right)

    def __array_function__(self, function, types, arguments, keywords):
        return True

    def __eq__(self, other):
        return True

    __hash__ = None


class Subclass(np.ndarray):
    """An array that could say anything of itself."""


def mapped(change, right):
    """The right answer with every array in it changed."""
    if isinstance(right, tuple):
        return tuple(mapped(change, part) for part in right)
    if isinstance(right, dict):
        return {key: mapped(change, part) for key, part in right.items()}
    return change(np.asarray(right, np.float64))


WORTHLESS = {
    "NaN": lambda array: np.full_like(array, np.nan),
    "infinity": lambda array: np.full_like(array, np.inf),
    "a shape that broadcasts": lambda array: array.reshape(-1)[:1],
    "an axis too many": lambda array: array[None],
    "objects": lambda array: array.astype(object),
    "complex numbers": lambda array: array.astype(complex),
    "text": lambda array: array.astype(str),
    "a subclass": lambda array: array.view(Subclass),
    "a list": lambda array: [array.tolist()],
    "a liar": Liar,
    "None": lambda array: None,
    "a masked array": lambda array: np.ma.array(array, mask=True),
    "a number": lambda array: 0.0,
    "a function": lambda array: lambda: array,
}


@pytest.mark.parametrize("kind", WORTHLESS)
def test_a_right_answer_in_a_wrong_form_earns_nothing(check, kind):
    verdict = check.verdict(lambda *given: mapped(WORTHLESS[kind], check.reference(*given)))
    assert verdict.fraction == 0
    assert verdict.hint


def test_a_part_that_is_missing_earns_nothing(check):
    def without_the_last(*given):
        right = check.reference(*given)
        if isinstance(right, dict):
            return dict(list(right.items())[:-1])
        return right[:-1] if isinstance(right, tuple) else None

    assert check.verdict(without_the_last).fraction == 0


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(0), RecursionError(), Exception])
def test_an_answer_that_raises_earns_nothing_and_is_told_why(check, error):
    def function(*given):
        raise error

    verdict = check.verdict(function)
    assert verdict.fraction == 0
    assert verdict.hint not in check.mistakes
    assert "raised" in verdict.hint


def test_an_untouched_exercise_earns_nothing_and_is_told_so(check):
    def function(*given):
        raise NotImplementedError

    verdict = check.verdict(function)
    assert verdict.fraction == 0
    assert verdict.hint.startswith(f"`{check.name}` is not written yet")


def test_a_function_that_empties_its_argument_and_returns_it_earns_nothing(check):
    def function(*given):
        for argument in given:
            if isinstance(argument, np.ndarray):
                argument[...] = 0
        return given[0] if given else None

    assert check.verdict(function).fraction == 0


@pytest.mark.parametrize("value", [0.0, 0.25])
def test_a_constant_earns_next_to_nothing(check, value):
    verdict = check.verdict(
        lambda *given: mapped(lambda array: np.full_like(array, value), check.reference(*given))
    )
    assert verdict.fraction < 0.4


def test_a_guess_earns_half_at_most(check):
    rng = np.random.default_rng(0)
    verdict = check.verdict(
        lambda *given: mapped(lambda array: rng.normal(size=array.shape), check.reference(*given))
    )
    assert verdict.fraction <= 0.5


def test_the_text_never_tells_what_was_expected(check):
    def constant(*given):
        return mapped(lambda array: np.full_like(array, 0.123456), check.reference(*given))

    text = check.verdict(constant).text().replace("0.123456", "yours")
    numbers = np.concatenate([part for right in check._expected(PRACTICE) for part in flat(right)])
    assert not any(f"{number:.4f}" in text for number in numbers)


def flat(right):
    """The arrays of an answer, each as one row."""
    if isinstance(right, dict):
        right = list(right.values())
    return [np.ravel(part) for part in (right if isinstance(right, list) else [right])]
