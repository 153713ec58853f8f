"""Checks of chapter `positional`."""

from collections.abc import Callable

import numpy as np

from autograde.check import Check
from autograde.checks.attention import FLOAT32
from autograde.reference import positional as reference

# ---- sinusoidal


def _pairs(d: int) -> np.ndarray:
    """(d,), for each feature the number of its pair."""
    return np.arange(d) // 2


def _from_angles(angle: Callable, first: int = 0) -> Callable:
    """A table whose angles are a function of position (n, 1), pair (d,), feature (d,), d, base."""

    def table(n, d, base=1e4):
        t = np.arange(first, n + first)[:, None]
        angles = angle(t, _pairs(d), np.arange(d), d, float(base))
        return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))

    return table


def _by_exponent(exponent: Callable) -> Callable:
    """Right but for the exponent, a function of pair, feature and d."""
    return _from_angles(lambda t, i, j, d, base: t / base ** exponent(i, j, d))


def _by_position(position: Callable) -> Callable:
    """Right but for the position."""
    return _from_angles(lambda t, i, j, d, base: position(t) / base ** (2 * i / d))


def _by_waves(waves: Callable) -> Callable:
    """Right but for which wave of the angles stands where: a function of (n, d) angles."""
    return lambda n, d, base=1e4: waves(np.arange(n)[:, None] / base ** (2 * _pairs(d) / d))


def _one_after_another(n, d, base=1e4):
    """All sines, then all cosines."""
    angles = np.arange(n)[:, None] / base ** (np.arange(0, d, 2) / d)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)[:, :d]


def _first_row_empty(n, d, base=1e4):
    table = reference.sinusoidal(n, d, base)
    table[0] = 0
    return table


def _last_of_odd_empty(n, d, base=1e4):
    table = reference.sinusoidal(n, d, base)
    table[:, d - d % 2 :] = 0
    return table


def _only_even(n, d, base=1e4):
    """Half as many of either wave, rounded up: NumPy finds that they do not fit an odd d."""
    table, angles = np.zeros((n, d)), np.arange(n)[:, None] / base ** (np.arange(0, d, 2) / d)
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


def _refusing_odd(n, d, base=1e4):
    if d % 2:
        raise ValueError(f"{d} is odd")
    return reference.sinusoidal(n, d, base)


def _waves_of_pairs(table: np.ndarray) -> bool:
    """Sine and cosine of the same angle lie on a circle of radius 1."""
    even = table[:, : table.shape[1] // 2 * 2].astype(np.float64)
    return np.allclose(even[:, 0::2] ** 2 + even[:, 1::2] ** 2, 1, atol=1e-4)


def _table(rng: np.random.Generator, *sizes: int) -> dict:
    return {"n": int(rng.integers(9, 17)), "d": int(rng.choice(sizes))}


sinusoidal = Check(
    reference=reference.sinusoidal,
    cases={
        "eight features or more": lambda rng: _table(rng, 8, 10, 12),
        "many features": lambda rng: _table(rng, 64),
        "many positions": lambda rng: {"n": int(rng.integers(40, 60)), "d": 12},
        "more features than positions": lambda rng: {"n": int(rng.integers(3, 6)), "d": 14},
        "two features": lambda rng: _table(rng, 2),
        "an odd number of features": lambda rng: _table(rng, 5, 7, 9),
        "a single feature": lambda rng: _table(rng, 1),
        "a single position": lambda rng: {"n": 1, "d": int(rng.choice([6, 8, 10]))},
        "another base": lambda rng: _table(rng, 8, 10) | {"base": float(rng.uniform(20, 400))},
        "a base that is a whole number": lambda rng: _table(rng, 8, 10) | {"base": 100},
    },
    mistakes={
        "Sines and cosines take turns; you put all sines first.": _one_after_another,
        "Sine stands in the even features and cosine in the odd ones; you swapped them.": (
            _by_waves(lambda a: np.where(np.arange(a.shape[1]) % 2, np.sin(a), np.cos(a)))
        ),
        "There are sines only: a pair has a cosine, too.": _by_waves(np.sin),
        "There are cosines only: a pair has a sine, too.": _by_waves(np.cos),
        "A cosine has the same frequency as the sine before it.": (
            _by_exponent(lambda i, j, d: j / d)
        ),
        "The exponent is doubled: the numbers 0, 2, 4 of the features are 2i already.": (
            _by_exponent(lambda i, j, d: 4 * i / d)
        ),
        "The exponent is doubled, and the cosine has a frequency of its own.": (
            _by_exponent(lambda i, j, d: 2 * j / d)
        ),
        "The exponent is 2i/d for pair i: you took i/d.": _by_exponent(lambda i, j, d: i / d),
        "Pairs are counted from 0: the first one turns by 1 at each step.": (
            _by_exponent(lambda i, j, d: 2 * (i + 1) / d)
        ),
        "The exponent is 2i/d: it does not reach 1 at the last pair.": (
            _by_exponent(lambda i, j, d: i / max((d + 1) // 2 - 1, 1))
        ),
        "An odd d stays as it is in the exponent; do not round it.": (
            _by_exponent(lambda i, j, d: 2 * i / (d + d % 2))
        ),
        "An odd d has a last sine, though no cosine: do not leave it empty.": _last_of_odd_empty,
        "An odd d has one cosine less than sines: cut the cosines to fit.": _only_even,
        "An odd d is allowed: its last sine has no cosine.": _refusing_odd,
        "The waves go from −1 to 1: do not scale them.": (
            lambda n, d, base=1e4: reference.sinusoidal(n, d, base) / np.sqrt(d)
        ),
        "Positions are counted from 0: the first row is 0, 1, 0, 1 and so on.": (
            _from_angles(lambda t, i, j, d, base: t / base ** (2 * i / d), first=1)
        ),
        "Position 0 has a row like all others: 0, 1, 0, 1 and so on.": _first_row_empty,
        "A position is not divided by their number: it counts 0, 1, 2.": (
            _by_position(lambda t: t / len(t))
        ),
        "Divide the position by the power; you multiplied, so the waves become shorter.": (
            _from_angles(lambda t, i, j, d, base: t * base ** (2 * i / d))
        ),
        "Only the base is raised to the power, not the position.": (
            _from_angles(lambda t, i, j, d, base: (t / base) ** (2 * i / d))
        ),
        "Without another one, the base is 10 000: yours is 1000.": (
            lambda n, d, base=1e3: reference.sinusoidal(n, d, base)
        ),
        "Use the base that is given, not always 10 000.": (
            lambda n, d, base=1e4: reference.sinusoidal(n, d)
        ),
        "The base is raised to the power; you multiplied them.": (
            _from_angles(lambda t, i, j, d, base: t / np.maximum(base * 2 * i / d, 1))
        ),
        "The angle is in radians; do not turn it into degrees or back.": (_by_position(np.deg2rad)),
    },
    properties={
        "Sine and cosine of a pair belong to one angle, so their squares sum to 1.": (
            lambda arguments, table: _waves_of_pairs(table)
        ),
        "Position 0 is 0, 1, 0, 1 and so on: the sine of 0 is 0, its cosine 1.": (
            lambda arguments, table: np.allclose(table[0], np.arange(table.shape[1]) % 2, atol=1e-4)
        ),
    },
    atol=FLOAT32,
)

# ---- shift_matrix


def _blocks(angles: Callable, block: Callable) -> Callable:
    """Blocks on the diagonal, a function of cosine and sine; angles, one of k and d."""

    def shift(k, d):
        R = np.zeros((d, d))
        for i, angle in enumerate(angles(k, d)):
            R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(np.cos(angle), np.sin(angle))
        return R

    return shift


def _turn(k: int, d: int, power: float = 2, base: float = 1e4) -> np.ndarray:
    """(d / 2,), the angle of every pair."""
    return k / base ** (power * np.arange(d // 2) / d)


def _forwards(cos: float, sin: float) -> list:
    return [[cos, sin], [-sin, cos]]


def _in_halves(k, d):
    cos, sin = (np.diag(wave(_turn(k, d))) for wave in (np.cos, np.sin))
    return np.block([[cos, sin], [-sin, cos]])


def _own_angles(k, d):
    """Each feature turns by an angle of its own."""
    R, odd = reference.shift_matrix(k, d), np.arange(1, d, 2)
    angles = k / 1e4 ** (odd / d)
    R[odd, odd], R[odd, odd - 1] = np.cos(angles), -np.sin(angles)
    return R


def _fitted(k, d):
    """The smallest matrix that is right for the first three rows."""
    before, after = ([_row(t + shift, d) for t in range(3)] for shift in (0, k))
    return np.linalg.lstsq(np.array(before), np.array(after), rcond=1e-8)[0].T


def _row(t: float, d: int) -> np.ndarray:
    angles = t / 1e4 ** (2 * np.arange(d // 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).ravel()


def _shift(rng: np.random.Generator, low: int, high: int, *sizes: int) -> dict:
    return {"k": int(rng.integers(low, high)), "d": int(rng.choice(sizes or (6, 8, 10)))}


def _orthogonal(R: np.ndarray) -> bool:
    R = R.astype(np.float64)
    return np.allclose(R @ R.T, np.eye(len(R)), atol=1e-4)


def _carries(k: int, d: int, R: np.ndarray, *starts: int) -> bool:
    return all(np.allclose(R @ _row(t, d), _row(t + k, d), atol=1e-4) for t in starts)


shift_matrix = Check(
    reference=reference.shift_matrix,
    cases={
        "one step": lambda rng: _shift(rng, 1, 2, 6, 8, 10, 12),
        "some steps": lambda rng: _shift(rng, 2, 9),
        "many steps": lambda rng: _shift(rng, 40, 90),
        "no step": lambda rng: _shift(rng, 0, 1),
        "one step back": lambda rng: _shift(rng, -1, 0, 6, 8, 10, 12),
        "some steps back": lambda rng: _shift(rng, -9, -1),
        "a single pair": lambda rng: _shift(rng, 2, 9, 2),
        "two pairs": lambda rng: _shift(rng, 2, 9, 4),
        "many features": lambda rng: _shift(rng, 2, 9, 32, 48),
    },
    mistakes={
        "This one goes back: R times row t must be row t + k, not row t − k.": (
            lambda k, d: reference.shift_matrix(-k, d)
        ),
        "Each pair turns by an angle of its own; you took one angle for all.": (
            _blocks(lambda k, d: np.full(d // 2, k), _forwards)
        ),
        "A sine and its cosine turn by one angle; each feature of yours has its own.": _own_angles,
        "Sine and cosine are neighbours: the blocks stand on the diagonal, not in the corners.": (
            _in_halves
        ),
        "This turns a pair over; a rotation has the cosine twice on its diagonal.": (
            _blocks(_turn, lambda cos, sin: [[cos, sin], [sin, -cos]])
        ),
        "One of the two sines in a block needs a minus.": (
            _blocks(_turn, lambda cos, sin: [[cos, sin], [sin, cos]])
        ),
        "Sines and cosines changed places in the blocks: no step must change nothing.": (
            _blocks(_turn, lambda cos, sin: [[sin, cos], [cos, -sin]])
        ),
        "The cosines alone do not shift: the sines stand beside them in a block.": (
            _blocks(_turn, lambda cos, sin: [[cos, 0], [0, cos]])
        ),
        "A negative k goes back; you took its size.": (
            lambda k, d: reference.shift_matrix(abs(k), d)
        ),
        "This is one step; take k of them.": (
            lambda k, d: reference.shift_matrix(int(np.sign(k)), d)
        ),
        "The exponent is 2i/d for pair i: you took i/d.": (
            _blocks(lambda k, d: _turn(k, d, power=1), _forwards)
        ),
        "The exponent is doubled: it is 2i/d for pair i.": (
            _blocks(lambda k, d: _turn(k, d, power=4), _forwards)
        ),
        "The base is 10 000: yours is 1000.": (
            _blocks(lambda k, d: _turn(k, d, base=1e3), _forwards)
        ),
        "R moves a vector to another position; you moved its features.": (
            lambda k, d: np.eye(d, k=k)
        ),
        "R must carry every row: it is right for a few only.": _fitted,
        "R turns by the angle; it does not add the angle's sine and cosine.": (
            lambda k, d: np.eye(d) + np.diag(_row(k, d))
        ),
    },
    properties={
        "R is a rotation, so R times its own transpose is the identity.": (
            lambda arguments, R: _orthogonal(R)
        ),
        "R times row 0, which is 0, 1, 0, 1 and so on, must be row k.": (
            lambda arguments, R: _carries(*arguments.values(), R, 0)
        ),
        "R must carry every row to the one k places further.": (
            lambda arguments, R: _carries(*arguments.values(), R, 1, 7, 30)
        ),
    },
    atol=FLOAT32,
)

# ---- rope


def _sequence(rng: np.random.Generator, *leading: int, n: int = 5, d: int = 8) -> dict:
    """No two axes have the same size, so no wrong axis goes unseen."""
    return {"x": rng.normal(size=(*leading, n, d)), "pos": np.arange(n)}


def _later(rng: np.random.Generator) -> dict:
    return _sequence(rng, 2) | {"pos": np.arange(5) + int(rng.integers(20, 60))}


def _turned(pair: Callable, angles: Callable | None = None) -> Callable:
    """Right but for the pairs, a function of a, b, cosine and sine, or for their angles."""

    def wrong(x, pos, base=1e4):
        of = angles or _rope_angles
        phi = of(np.asarray(pos, float)[:, None], x.shape[-1], float(base))
        a, b = pair(x[..., 0::2], x[..., 1::2], np.cos(phi), np.sin(phi))
        return np.stack([a, b], axis=-1).reshape(x.shape)

    return wrong


def _rope_angles(t: np.ndarray, d: int, base: float, power: float = 2) -> np.ndarray:
    """(n, d / 2)."""
    return t / base ** (power * np.arange(d // 2) / d)


def _rotated(a, b, cos, sin):
    return a * cos - b * sin, a * sin + b * cos


def _by_rope_angles(angles: Callable) -> Callable:
    return _turned(_rotated, angles)


def _half_with_half(arrange: Callable) -> Callable:
    """Feature i meets feature i + d/2; the angles of the pairs are laid out over d features."""

    def wrong(x, pos, base=1e4):
        phi = _rope_angles(np.asarray(pos, float)[:, None], x.shape[-1], float(base))
        phi, half = arrange(phi), x.shape[-1] // 2
        crossed = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
        return x * np.cos(phi) + crossed * np.sin(phi)

    return wrong


def _twice(phi: np.ndarray) -> np.ndarray:
    return np.concatenate([phi, phi], axis=1)


def _each_twice(phi: np.ndarray) -> np.ndarray:
    return np.repeat(phi, 2, axis=1)


def _crossed_pairs(phi_of: Callable) -> Callable:
    """Neighbours meet; the angles of the pairs are laid out over d features."""

    def wrong(x, pos, base=1e4):
        t, d = np.asarray(pos, float)[:, None], x.shape[-1]
        phi = phi_of(t, d, float(base))
        crossed = np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
        return x * np.cos(phi) + crossed * np.sin(phi)

    return wrong


def _taken_apart(x, pos, base=1e4):
    """Pairs are taken apart for the sine, but not for the cosine."""
    phi = _twice(_rope_angles(np.asarray(pos, float)[:, None], x.shape[-1], float(base)))
    crossed = np.concatenate([-x[..., 1::2], x[..., 0::2]], axis=-1)
    return x * np.cos(phi) + crossed * np.sin(phi)


def _sorted_out(x, pos, base=1e4):
    """Pairs turned rightly, and then put down as two halves."""
    right = reference.rope(x, pos, base)
    return np.concatenate([right[..., 0::2], right[..., 1::2]], axis=-1)


def _positions(x: np.ndarray, pos: np.ndarray, base: float) -> np.ndarray:
    """(n, d), the sinusoids of these positions."""
    phi = _rope_angles(np.asarray(pos, float)[:, None], x.shape[-1], float(base))
    return np.stack([np.sin(phi), np.cos(phi)], axis=-1).reshape(x.shape[-2:])


def _written_over(a, b, cos, sin):
    a = a * cos - b * sin
    return a, a * sin + b * cos


def _lengths_kept(arguments: dict, answer: np.ndarray) -> bool:
    before, after = (
        np.linalg.norm(np.asarray(array, np.float64), axis=-1) for array in (arguments["x"], answer)
    )
    return np.allclose(before, after, rtol=1e-3, atol=1e-3)


def _origin_kept(arguments: dict, answer: np.ndarray) -> bool:
    at_0 = arguments["pos"] == 0
    return np.allclose(answer[..., at_0, :], arguments["x"][..., at_0, :], rtol=1e-3, atol=1e-3)


rope = Check(
    reference=reference.rope,
    cases={
        "one sequence": _sequence,
        "a batch of sequences": lambda rng: _sequence(rng, 2),
        "a batch with three heads": lambda rng: _sequence(rng, 2, 3),
        "a sequence that starts later": _later,
        "positions in another order": lambda rng: (
            _sequence(rng, 2) | {"pos": np.array([4, 11, 0, 7, 2])}
        ),
        "positions before 0": lambda rng: _sequence(rng) | {"pos": np.arange(5) - 7},
        "positions between whole ones": lambda rng: _sequence(rng) | {"pos": np.arange(5) / 4 + 3},
        "every row at position 0": lambda rng: _sequence(rng) | {"pos": np.zeros(5, int)},
        "a single row": lambda rng: _sequence(rng, n=1) | {"pos": rng.integers(3, 9, size=1)},
        "a single pair": lambda rng: _sequence(rng, d=2),
        "many features": lambda rng: _sequence(rng, 2, d=32),
        "row 0 of the sinusoids": lambda rng: (
            {"x": np.tile([0.0, 1.0], (5, 4)), "pos": -np.arange(5) - int(rng.integers(5))}
        ),
        "another base": lambda rng: _later(rng) | {"base": float(rng.uniform(20, 400))},
        "whole numbers": lambda rng: (
            _later(rng) | {"x": rng.integers(-3, 4, size=(2, 5, 8)) * 2 + 1}
        ),
        "float32 numbers": lambda rng: {
            name: array.astype(np.float32) for name, array in _later(rng).items()
        },
        "stored column by column": lambda rng: {
            name: np.asfortranarray(array) for name, array in _sequence(rng, 2).items()
        },
    },
    mistakes={
        "Turn the pairs by their angles; you added the sinusoids.": (
            lambda x, pos, base=1e4: x + _positions(x, pos, base)
        ),
        "Turn the pairs by their angles; you multiplied with the sinusoids.": (
            lambda x, pos, base=1e4: x * _positions(x, pos, base)
        ),
        "Neighbours make a pair, features 0 and 1, then 2 and 3; you paired two halves.": (
            _half_with_half(_twice)
        ),
        "Neighbours make a pair; you paired two halves, and turned them the other way.": (
            lambda x, pos, base=1e4: _half_with_half(_twice)(x, -np.asarray(pos), base)
        ),
        "You paired two halves, and laid the angles out for neighbours: no pair has one angle.": (
            _half_with_half(_each_twice)
        ),
        "Neighbours make a pair and need one angle; you laid the angles out for two halves.": (
            _crossed_pairs(lambda t, d, base: _twice(_rope_angles(t, d, base)))
        ),
        "What meets a feature must be the other one of its pair; you put all second ones first.": (
            _taken_apart
        ),
        "Both features of a pair turn by the same angle; yours have each their own.": (
            _crossed_pairs(lambda t, d, base: t / base ** (np.arange(d) / d))
        ),
        "The turned pairs stay where they were; you put the first of all, then the second.": (
            _sorted_out
        ),
        "The second of a pair needs the first as it was; you wrote over it.": (
            _turned(_written_over)
        ),
        "This turns the other way: with a growing position the first goes towards the second.": (
            lambda x, pos, base=1e4: reference.rope(x, -np.asarray(pos), base)
        ),
        "A rotation has one minus: the first of a pair loses what the second gains.": (
            _turned(lambda a, b, cos, sin: (a * cos + b * sin, a * sin + b * cos))
        ),
        "Sine and cosine changed places: position 0 must change nothing.": (
            _turned(lambda a, b, cos, sin: (a * sin - b * cos, a * cos + b * sin))
        ),
        "This turns pairs over like a mirror; position 0 must change nothing.": (
            _turned(lambda a, b, cos, sin: (a * cos + b * sin, a * sin - b * cos))
        ),
        "The cosines alone do not turn: a pair mixes, by the sine.": (
            _turned(lambda a, b, cos, sin: (a * cos, b * cos))
        ),
        "Each pair has a speed of its own; you turned all alike.": (
            _by_rope_angles(lambda t, d, base: t + np.zeros(d // 2))
        ),
        "The exponent is 2i/d for pair i: you took i/d.": (
            _by_rope_angles(lambda t, d, base: _rope_angles(t, d, base, power=1))
        ),
        "The exponent is doubled: it is 2i/d for pair i.": (
            _by_rope_angles(lambda t, d, base: _rope_angles(t, d, base, power=4))
        ),
        "Divide the position by the power; you multiplied.": (
            _by_rope_angles(lambda t, d, base: t * base ** (2 * np.arange(d // 2) / d))
        ),
        "Positions are given; you counted the rows instead.": (
            lambda x, pos, base=1e4: reference.rope(x, np.arange(x.shape[-2]), base)
        ),
        "Positions are taken as they come, even if the first is not 0.": (
            lambda x, pos, base=1e4: reference.rope(x, np.asarray(pos) - pos[0], base)
        ),
        "A position counts from 0: you added 1 to it.": (
            lambda x, pos, base=1e4: reference.rope(x, np.asarray(pos) + 1, base)
        ),
        "A position need not be a whole number; you rounded it.": (
            lambda x, pos, base=1e4: reference.rope(x, np.floor(pos), base)
        ),
        "The size of a position is not enough: before 0 pairs turn the other way.": (
            lambda x, pos, base=1e4: reference.rope(x, np.abs(pos), base)
        ),
        "Use the base that is given, not always 10 000.": (
            lambda x, pos, base=1e4: reference.rope(x, pos)
        ),
        "Without another one, the base is 10 000: yours is 1000.": (
            lambda x, pos, base=1e3: reference.rope(x, pos, base)
        ),
        "The result may have fractions though x has none.": (
            lambda x, pos, base=1e4: reference.rope(x, pos, base).astype(x.dtype).astype(float)
        ),
    },
    properties={
        "Position 0 changes nothing.": _origin_kept,
        "Turning changes no length: every row keeps its norm.": _lengths_kept,
    },
    atol=1e-4,
)

# ---- is_equivariant


def _with_a_map(is_equivariant, kind, n, d, trials, W):
    """Let a learner's function test a map from n rows to n rows that it cannot look into."""
    import numpy as np

    places, Wq, Wk, Wv = W[0, :n], W[1, :d, :d], W[2, :d, :d], W[3, :d, :d]
    places = places[:, :d]
    i, j = np.arange(n)[:, None], np.arange(n)
    distance = np.abs(i - j)

    def attention(X, mask=True):
        scores = np.where(mask, (X @ Wq) @ (X @ Wk).T / np.sqrt(d), -np.inf)
        powers = np.exp(scores - np.max(scores, 1, keepdims=True))
        return powers / np.sum(powers, 1, keepdims=True) @ (X @ Wv)

    def norm(X):
        X = X - np.mean(X, 1, keepdims=True)
        return X / np.sqrt(np.mean(X**2, 1, keepdims=True) + 1e-5)

    def network(X):
        return np.maximum(X @ Wq, 0) @ Wk

    def rare(X):  # above 0 for one normal X in four, in whatever order
        return max(np.sum(X @ np.sign(Wv[0])) / np.sqrt(n * d) - 0.7, 0)

    def layer(X):
        X = norm(X + attention(X))
        return norm(X + network(X))

    maps = {
        "attention": attention,
        "network": lambda X: np.maximum(X @ Wq, 0) @ Wk[:, :3],
        "norm": norm,
        "two layers": lambda X: layer(layer(X)),
        "mean": lambda X: X - np.mean(X, 0),
        "pooled": lambda X: np.tile(np.mean(X @ Wv, 0), (n, 1)),
        "alike": lambda X: np.tile(Wv[0], (n, 1)),
        "places": lambda X: X + places,
        "attention and places": lambda X: attention(X + places),
        "layer, faint places": lambda X: layer(X) + 1e-2 * places,
        "causal": lambda X: attention(X, i >= j),
        "window": lambda X: attention(X, distance <= 1),
        "ring": lambda X: attention(X, (i - j) % n <= 1),
        "last": lambda X: attention(X) + (i == n - 1),
        "constant": lambda X: 3 * places,
        "sorted": lambda X: np.sort(X, 0),
        "few": lambda X: X + places * rare(X),
        "layer, few": lambda X: layer(X) + places * rare(X),
    }

    def f(X):
        X = np.array(X, dtype=float)
        if X.shape != (n, d):
            raise ValueError(f"the map takes an array of shape {(n, d)}, not {X.shape}")
        return maps[kind](X)

    return is_equivariant(f, n, d, trials)


def _map(rng: np.random.Generator, kind: str, n: int = 0, trials: int = 5) -> dict:
    """Weights of which none is near 0, so that nothing depends too little to be seen."""
    W = rng.choice([-1, 1], size=(4, 8, 8)) * rng.uniform(0.3, 0.9, size=(4, 8, 8))
    n, d = n or int(rng.integers(6, 9)), int(rng.integers(4, 6))
    return {"kind": kind, "n": n, "d": d, "trials": trials, "W": W}


def _of(kind: str, **sizes: int) -> Callable:
    return lambda rng: _map(rng, kind, **sizes)


def _near(one: np.ndarray, other: np.ndarray) -> bool:
    return np.allclose(one, other, rtol=0, atol=reference.ROUNDING)


def _compared(
    agree: Callable = lambda f, X, p: _near(f(X[p]), f(X)[p]),
    order: Callable = lambda rng, n: rng.permutation(n),
    start: Callable = lambda rng, n, d: rng.normal(size=(n, d)),
    whole: Callable = all,
) -> Callable:
    """A test with these inputs, these orders and this comparison."""

    def test(f, n, d, trials=5):
        rng = np.random.default_rng(1)
        draws = [(start(rng, n, d), order(rng, n)) for _ in range(trials)]
        return bool(whole([bool(agree(f, X, p)) for X, p in draws]))

    return test


def _rows_in_order(array: np.ndarray) -> np.ndarray:
    return array[np.lexsort(np.round(array, 6).T)]


def _swap(rng: np.random.Generator, n: int) -> np.ndarray:
    order = np.arange(n)
    order[:2] = order[:2][::-1]
    return order


is_equivariant = Check(
    reference=reference.is_equivariant,
    cases={
        "attention": _of("attention"),
        "a network for each row": _of("network"),
        "LayerNorm": _of("norm"),
        "two encoder layers": _of("two layers"),
        "attention over two rows": _of("attention", n=2, trials=30),
        "each row without the mean of all": _of("mean"),
        "the mean of all, for each row": _of("pooled"),
        "a constant, the same for each row": _of("alike"),
        "a single row": _of("attention and places", n=1),
        "positions added, and nothing else": _of("places"),
        "attention with positions": _of("attention and places"),
        "faint positions after a layer": _of("layer, faint places"),
        "a causal mask": _of("causal"),
        "a causal mask over two rows": _of("causal", n=2, trials=30),
        "a window to both sides": _of("window"),
        "a window on a ring": _of("ring"),
        "a last row that differs": _of("last", trials=30),
        "a constant, another for each row": _of("constant"),
        "rows that are sorted": _of("sorted"),
        "positions that only some inputs get": _of("few", trials=60),
        "a layer, and positions that only some inputs get": _of("layer, few", trials=60),
    },
    mistakes={
        "Equivariant means that the outputs move along; you tested that they stay.": (
            _compared(lambda f, X, p: _near(f(X[p]), f(X)))
        ),
        "Some maps do mind the order: yours always says no. Really shuffle the rows.": (
            _compared(order=lambda rng, n: np.arange(n))
        ),
        "The answer is True if shuffled rows give shuffled outputs; yours is the opposite.": (
            lambda f, n, d, trials=5: not reference.is_equivariant(f, n, d, trials)
        ),
        "Shuffle rows, which are words, not their features.": (
            _compared(lambda f, X, p: _near(f(X[:, ::-1]), f(X)[:, ::-1]))
        ),
        "The outputs are shuffled as the inputs were, not the other way back.": (
            _compared(lambda f, X, p: _near(f(X[p])[p], f(X)))
        ),
        "Sums round differently in another order: compare with a tolerance.": (
            _compared(lambda f, X, p: np.array_equal(f(X[p]), f(X)[p]))
        ),
        "A small difference is one, too: only rounding is none.": (
            _compared(lambda f, X, p: np.allclose(f(X[p]), f(X)[p], rtol=0, atol=0.1))
        ),
        "Turning the rows round is one order of many: draw random ones.": (
            _compared(order=lambda rng, n: np.arange(n)[::-1])
        ),
        "Moving all rows on by one is one order of many: draw random ones.": (
            _compared(order=lambda rng, n: np.roll(np.arange(n), 1))
        ),
        "Swapping two rows is one order of many: draw random ones.": _compared(order=_swap),
        "All trials must agree: one may do so by luck.": _compared(whole=any),
        "One trial may agree by luck: make as many as are asked for.": (
            _compared(whole=lambda agreed: agreed[0])
        ),
        "Compare row by row: sums over all rows hide which row is which.": (
            _compared(lambda f, X, p: _near(f(X[p]).sum(0), f(X).sum(0)))
        ),
        "The outputs must be in the right order; you only looked whether all are there.": (
            _compared(lambda f, X, p: _near(_rows_in_order(f(X[p])), _rows_in_order(f(X))))
        ),
        "Rows that are all alike show no order: draw random ones.": (
            _compared(start=lambda rng, n, d: np.ones((n, d)))
        ),
        "Shuffle what goes in; you shuffled what comes out, twice alike.": (
            _compared(lambda f, X, p: _near(f(X)[p], f(X)))
        ),
    },
    probe=_with_a_map,
)
