"""Checks of chapter `translation`."""

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np

from autograde.check import Check
from autograde.reference import translation as reference
from autograde.reference.translation import EOS, FORMS, PAD, SOS, SPECIAL

# ---- Vocab


def _there_and_back(Vocab, seqs, batch, stranger):
    """Its size, a batch as numbers, with `<SOS>` too, and back; whether a stranger is refused.

    What comes back is compared as numbers: of each row the places of its tokens among all.
    """
    import numpy

    vocab = Vocab(seqs)
    numbers = [numpy.asarray(vocab.encode(batch)), numpy.asarray(vocab.encode(batch, start=True))]
    written = numpy.concatenate([numbers[1], numbers[1][:, ::-1]], axis=1)  # junk after <EOS>
    tokens = ["<PAD>", "<SOS>", "<EOS>", *sorted({token for seq in seqs for token in seq})]
    back = numpy.full((len(batch), 2 * written.shape[1]), -1)
    for row, found in zip(back, vocab.decode(written), strict=True):
        row[: len(found)] = [tokens.index(token) for token in found]
    try:
        vocab.encode([[*batch[0], stranger]])
    except ValueError:
        return len(vocab), *numbers, back, True
    return len(vocab), *numbers, back, False


def _texts(rng: np.random.Generator, tokens: list[str], least: int = 2, count: int = 7) -> dict:
    """Sequences, a batch of three of them that is shorter than the longest, and a stranger."""
    rng.shuffle(tokens)
    known = tokens[1:]
    lengths = [len(known), *rng.permutation(np.arange(least, least + count - 1))]
    seqs = [list(rng.permutation(known)), *(list(rng.choice(known, n)) for n in lengths[1:])]
    seqs = [[str(token) for token in seq] for seq in seqs]
    return {"seqs": seqs, "batch": seqs[1:4], "stranger": tokens[0]}


class _Vocab(reference.Vocab):
    """One that goes wrong in ways that subclasses choose."""

    start, left, fill, longest = SOS, False, PAD, 0
    end: tuple[int, ...] = (EOS,)

    def encode(self, seqs, start=False):
        if {token for seq in seqs for token in seq} - set(self.numbers):
            raise ValueError
        first = [self.start] if start else []
        rows = [[*first, *map(self.numbers.get, seq), *self.end] for seq in seqs]
        return self.filled(rows)

    def filled(self, rows):
        longest = max([self.longest, *map(len, rows)])
        fill = [[self.fill] * (longest - len(row)) for row in rows]
        ordered = zip(fill, rows, strict=True) if self.left else zip(rows, fill, strict=True)
        return np.array([one + other for one, other in ordered], int)


class _InOrderOfAppearance(_Vocab):
    def __init__(self, seqs):
        super().__init__(seqs)
        self.tokens = [*SPECIAL, *dict.fromkeys(token for seq in seqs for token in seq)]
        self.numbers = {token: number for number, token in enumerate(self.tokens)}


class _SpecialLast(_Vocab):
    def __init__(self, seqs):
        super().__init__(seqs)
        n = len(self.tokens)
        self.numbers = {token: number - 3 for token, number in self.numbers.items()}
        self.fill, self.start, self.end = n - 3, n - 2, (n - 1,)

    def decode(self, ids):
        return super().decode((np.asarray(ids) + 3) % len(self.tokens))


class _OneNumberMore(_Vocab):
    def __init__(self, seqs):
        super().__init__(seqs)
        self.tokens.insert(3, "<UNK>")
        self.numbers = {token: number for number, token in enumerate(self.tokens)}


class _CountsEachTime(_Vocab):
    def __init__(self, seqs):
        super().__init__(seqs)
        self.tokens = [*SPECIAL, *sorted(token for seq in seqs for token in seq)]
        self.numbers = {token: number for number, token in enumerate(self.tokens)}


class _WithoutEnd(_Vocab):
    end = ()


class _EndLast(_Vocab):
    def filled(self, rows):
        return np.pad(
            super().filled([row[:-1] for row in rows]), ((0, 0), (0, 1)), constant_values=EOS
        )


class _FilledLeft(_Vocab):
    left = True


class _AlwaysStarts(_Vocab):
    def encode(self, seqs, start=False):
        return super().encode(seqs, True)


class _NeverStarts(_Vocab):
    def encode(self, seqs, start=False):
        return super().encode(seqs, False)


class _AsLongAsEver(_Vocab):
    def __init__(self, seqs):
        super().__init__(seqs)
        self.longest = max(map(len, seqs)) + 2


class _ReadsOn(_Vocab):
    def decode(self, ids):
        return [[self.tokens[i] for i in row if i > EOS] for row in np.asarray(ids).tolist()]


class _KeepsSpecial(_Vocab):
    def decode(self, ids):
        rows = np.asarray(ids).tolist()
        return [[self.tokens[i] for i in row[: row.index(EOS)]] for row in rows]


class _PassesOver(_Vocab):
    def encode(self, seqs, start=False):
        return super().encode([[t for t in seq if t in self.numbers] for seq in seqs], start)


Vocab = Check(
    reference=reference.Vocab,
    cases={
        "words": lambda rng: _texts(rng, "March April May Monday Tuesday 1 2 3 , /".split()),
        "Chinese characters": lambda rng: _texts(rng, list("0123456789年月日星期一二三")),
        "tokens of any length": lambda rng: _texts(
            rng, ["a", "aa", "b", "ab", "ba", "bab", "abba"]
        ),
        "an empty sequence in the batch": lambda rng: _texts(rng, list("defabcgh"), least=0),
    },
    mistakes={
        "Sort the tokens: the same texts in another order should give the same numbers.": (
            _InOrderOfAppearance
        ),
        "A token has one number, however often it appears.": _CountsEachTime,
        "The three special tokens have the numbers 0, 1 and 2, before all others.": _SpecialLast,
        "There are three special tokens; an unknown token gets no number.": _OneNumberMore,
        "Each row ends with <EOS>: without it nothing tells a model to stop.": _WithoutEnd,
        "<EOS> stands right behind the last token, and the padding behind <EOS>.": _EndLast,
        "The padding stands behind the tokens, not before them.": _FilledLeft,
        "<SOS> stands before a row only where it is asked for.": _AlwaysStarts,
        "Put <SOS> before each row where it is asked for.": _NeverStarts,
        "Fill up to the longest row of this batch, no further.": _AsLongAsEver,
        "Reading back stops at the first <EOS>; what stands behind it does not count.": _ReadsOn,
        "The special tokens are no part of the text that is read back.": _KeepsSpecial,
        "Raise ValueError for a token without a number; to pass it over changes the text.": (
            _PassesOver
        ),
    },
    probe=_there_and_back,
    returns=("size", "numbers", "numbers with <SOS>", "tokens read back", "refusal"),
)

# ---- train

STEPS = 400
AHEAD = "A prediction changes with later target tokens: hide them from the decoder."
STOP = "These translations never end: let each target end with <EOS>, and learn it too."
SOURCE = "All dates become nearly the same: let the decoder look at the source."
ORDER = "The digits of the years are right and their order is not: say where each token stands."


def _translations(train, sources, targets, unseen, seed, steps):
    """What a trained model makes of dates that it has not seen, whether it looks ahead, its steps.

    Greedy decoding, from `<SOS>` until each row has its `<EOS>`; `<PAD>` from there on.
    """
    import sys
    from contextlib import nullcontext

    import numpy

    torch, hook, taken = sys.modules.get("torch"), None, []  # there is no torch in a page
    if torch:
        from torch.optim.optimizer import register_optimizer_step_post_hook as at_each_step

        hook = at_each_step(lambda *_: taken.append(1))
    try:
        model = train((sources, targets), seed, steps)
    finally:
        if hook:
            hook.remove()
    if hasattr(model, "eval"):
        model.eval()

    def logits(source, prefix):
        tensor = torch.from_numpy if torch else numpy.asarray
        with torch.no_grad() if torch else nullcontext():
            given = numpy.asarray(model(tensor(source), tensor(prefix)))
        if given.ndim != 3 or given.shape[:2] != prefix.shape:
            raise ValueError(
                f"for a prefix of shape {prefix.shape} the model gives logits of shape "
                f"{given.shape}; they should have one axis more"
            )
        return given

    longest = targets.shape[1]  # a model may have no places for more
    written = numpy.ones((len(unseen), 1), int)
    ended = numpy.zeros(len(unseen), bool)
    while written.shape[1] < longest and not ended.all():
        following = logits(unseen, written)[:, -1].argmax(axis=-1)
        written = numpy.column_stack([written, numpy.where(ended, 0, following)])
        ended |= following == 2
    prefix = written[:20, :8].copy()
    prefix = numpy.pad(prefix, ((0, 0), (0, 8 - prefix.shape[1])))
    before = logits(unseen[:20], prefix)[:, :5]
    prefix[:, 5:] = 3 + (prefix[:, 5:] + 4) % 9  # another token at each place
    ahead = bool(abs(logits(unseen[:20], prefix)[:, :5] - before).max() > 1e-3)
    written = numpy.pad(written, ((0, 0), (0, longest - written.shape[1])))
    return written, ahead, len(taken) > steps


def _dates(rng: np.random.Generator, seen: int = 12_000, unseen: int = 500) -> dict:
    """Pairs to learn from, and dates that are none of theirs."""
    first, last = datetime.date(1900, 1, 1).toordinal(), datetime.date(2099, 12, 31).toordinal()
    ordinals = rng.choice(np.arange(first, last + 1), seen + unseen, replace=False)
    days = [datetime.date.fromordinal(int(ordinal)) for ordinal in ordinals]
    forms = [int(form) for form in rng.integers(len(FORMS), size=len(days))]
    sources = [reference.english(day, form) for day, form in zip(days, forms, strict=True)]
    targets = [
        reference.chinese(day, FORMS[form][1]) for day, form in zip(days, forms, strict=True)
    ]
    return {
        "sources": reference.ENGLISH.encode(sources[:seen]),
        "targets": reference.CHINESE.encode(targets[:seen], start=True),
        "unseen": reference.ENGLISH.encode(sources[seen:]),
        "seed": int(rng.integers(1000)),
        "steps": STEPS,
    }


def _writes(change: Callable[[list[list[int]]], list[list[int]]]) -> Callable:
    """The training whose model writes other rows than the right ones."""

    def train(pairs, seed, steps):
        def model(source, prefix):
            source, n = np.asarray(source), np.asarray(prefix).shape[1]
            rows = change(reference.translated(source))
            following = np.array([[*row[1:], *[PAD] * n][:n] for row in rows])
            return np.eye(len(reference.CHINESE))[following]

        return model

    return train


def _without_end(rows: list[list[int]]) -> list[list[int]]:
    return [row[:-1] + row[-2:-1] * 20 for row in rows]


def _with_sorted_years(rows: list[list[int]]) -> list[list[int]]:
    return [row[:1] + sorted(row[1:5]) + row[5:] for row in rows]


def _day_before_month(rows: list[list[int]]) -> list[list[int]]:
    month, day = reference.CHINESE.numbers["月"], reference.CHINESE.numbers["日"]

    def swapped(row: list[int]) -> list[int]:
        one, two = row.index(month), row.index(day)
        return [*row[:6], *row[one + 1 : two], month, *row[6:one], *row[two:]]

    return [swapped(row) for row in rows]


def _copies(pairs, seed, steps):
    return lambda source, prefix: np.eye(len(reference.CHINESE))[np.asarray(prefix)]


def _from_the_last_token(pairs, seed, steps):
    def model(source, prefix):
        prefix = np.asarray(prefix)
        following = np.zeros_like(prefix)
        for row, right in enumerate(reference.translated(np.asarray(source))):
            after = dict(zip(right[-2::-1], right[:0:-1], strict=True))  # of its first appearance
            following[row] = [after.get(token, EOS) for token in prefix[row].tolist()]
        return np.eye(len(reference.CHINESE))[following]

    return model


def _looks_ahead(pairs, seed, steps):
    right = reference.train(pairs, seed)

    def model(source, prefix):
        return right(source, prefix) + 1e-2 * np.asarray(prefix).sum(axis=1)[:, None, None] * (
            np.arange(len(reference.CHINESE)) / len(reference.CHINESE)
        )

    return model


def _ended(arguments: dict[str, Any], answer: list) -> bool:
    return (answer[0] == EOS).any(axis=1).mean() > 0.5


def _differ(arguments: dict[str, Any], answer: list) -> bool:
    return len(np.unique(answer[0], axis=0)) > len(answer[0]) / 5


def _in_order(arguments: dict[str, Any], answer: list) -> bool:
    """Whether not many years have the right digits in a wrong order."""
    right = np.array([row[1:5] for row in reference.translated(arguments["unseen"])])
    years = answer[0][:, 1:5]
    bags = (np.sort(years) == np.sort(right)).all(axis=1) & (years != right).any(axis=1)
    return bags.mean() < 0.3


train = Check(
    reference=reference.train,
    cases={"500 dates that are not among the pairs": _dates},
    mistakes={
        AHEAD: _looks_ahead,
        STOP: _writes(_without_end),
        "At each place the model repeats the token it reads: it should predict the next.": _copies,
        SOURCE: _writes(lambda rows: [rows[0]] * len(rows)),
        ORDER: _writes(_with_sorted_years),
        "The next character depends on all before it, not on the last one alone.": (
            _from_the_last_token
        ),
        "The day stands where the month should be.": _writes(_day_before_month),
    },
    properties={
        AHEAD: lambda arguments, answer: not answer[1],
        "The optimizer takes more steps than it may.": lambda arguments, answer: not answer[2],
        STOP: _ended,
        SOURCE: _differ,
        ORDER: _in_order,
    },
    probe=_translations,
    from_scratch=(
        "Transformer",
        "TransformerEncoder",
        "TransformerDecoder",
        "TransformerEncoderLayer",
        "TransformerDecoderLayer",
        "MultiheadAttention",
        "scaled_dot_product_attention",
        "multi_head_attention_forward",
    ),
    seconds=120,
    draws=1,
    enough=0.95,
    returns=("translations", "look ahead", "steps"),
)

# ---- alignment_score


def _weights(
    rng: np.random.Generator, h: int = 3, n: int = 13, m: int = 7, share: float = 0.75
) -> dict:
    """Random weights that are often greatest on the gold place, of the row above too."""
    gold = rng.integers(m, size=n + 1)
    gold[rng.permutation(n)[: n // 4] + 1] = -1
    scores = 2 * rng.normal(size=(h, n, m))
    for i in np.flatnonzero(gold[1:] >= 0):
        scores[rng.random(h) < share, i, gold[i + 1]] += 3
    weights = np.exp(scores)
    return {"W": weights / weights.sum(-1, keepdims=True), "gold": gold}


def _unclear_heads(rng: np.random.Generator) -> dict:
    """Few heads look at the gold place, and their mean does."""
    return _weights(rng, h=5, n=29, m=4, share=0.4)


def _float32(inputs: dict) -> dict:
    return inputs | {"W": inputs["W"].astype(np.float32)}


def _scored(
    rows: Callable = lambda gold: gold[1:],
    mixed: Callable = lambda W: W.mean(0),
    hits: Callable = lambda W, gold: W.argmax(-1) == gold,
    counted: Callable = lambda gold: gold >= 0,
    summed: Callable = lambda hits: float(hits.mean()),
) -> Callable:
    """The score, with one part of it done in another way."""

    def alignment_score(W, gold):
        gold = rows(np.asarray(gold))
        return summed(hits(mixed(np.asarray(W)), gold)[..., counted(gold)])

    return alignment_score


def _best_head(W: np.ndarray, gold: np.ndarray) -> float:
    return max(reference.alignment_score(head[None], gold) for head in W)


def _mean_of_heads(W: np.ndarray, gold: np.ndarray) -> float:
    return float(np.mean([reference.alignment_score(head[None], gold) for head in W]))


alignment_score = Check(
    reference=reference.alignment_score,
    cases={
        "three heads": _weights,
        "heads that disagree": _unclear_heads,
        "a single head": lambda rng: _weights(rng, h=1),
        "a long source": lambda rng: _weights(rng, n=17, m=31),
        "float32 weights": lambda rng: _float32(_weights(rng, h=4, n=19)),
    },
    mistakes={
        "Row i predicts token i + 1 of the target: read the row above, not the token's own.": (
            _scored(rows=lambda gold: gold[:-1])
        ),
        "Average the heads, then look where the greatest weight is; you took the best head.": (
            _best_head
        ),
        "Average the weights of the heads, not their scores.": _mean_of_heads,
        "Average the heads; you took the greatest weight of any.": _scored(
            mixed=lambda W: W.max(0)
        ),
        "Look at all heads, not at the first one alone.": _scored(mixed=lambda W: W[0]),
        "A token without a counterpart in the source does not count, not as a miss either.": (
            _scored(counted=lambda gold: gold == gold)
        ),
        "Count where the greatest weight is, do not add up the weights.": _scored(
            hits=lambda W, gold: W[np.arange(len(gold)), gold]
        ),
        "Return the share of hits, not their number.": _scored(
            summed=lambda hits: float(hits.sum())
        ),
        "The last row counts as well.": _scored(
            rows=lambda gold: gold[1:-1], mixed=lambda W: W.mean(0)[:-1]
        ),
    },
)
