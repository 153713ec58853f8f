"""Chapter `translation`: numbers for tokens, a translator of dates, the alignment in its weights.

Dates in English and Chinese are written as the locale data of Unicode's CLDR have them.

Sources: Vaswani et al. (2017), Attention Is All You Need, sections 3.1 and 5.1; Bahdanau et al.
(2015), Neural Machine Translation by Jointly Learning to Align and Translate, section 5.2.1 (the
weights read as an alignment).
"""

import datetime
from collections.abc import Callable, Iterable, Sequence

import numpy as np

PAD, SOS, EOS = range(3)
SPECIAL = ("<PAD>", "<SOS>", "<EOS>")


class Vocab:
    """Numbers for tokens: `<PAD>` 0, `<SOS>` 1, `<EOS>` 2, then the others in sorted order.

    Args:
        seqs: sequences of tokens; each token gets one number.
    """

    def __init__(self, seqs: Iterable[Sequence[str]]):
        self.tokens = [*SPECIAL, *sorted({token for seq in seqs for token in seq})]
        self.numbers = {token: number for number, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, seqs: Sequence[Sequence[str]], start: bool = False) -> np.ndarray:
        """The numbers of a batch: each sequence, `<EOS>`, and `<PAD>` up to the longest.

        Args:
            seqs: B sequences of tokens.
            start: whether `<SOS>` stands before each.

        Returns:
            (B, n) integers.

        Raises:
            ValueError: a token has no number.
        """
        unknown = {token for seq in seqs for token in seq} - set(self.tokens[len(SPECIAL) :])
        if unknown:
            raise ValueError(f"these tokens have no number: {sorted(unknown)}")
        first = [SOS] if start else []
        rows = [[*first, *(self.numbers[token] for token in seq), EOS] for seq in seqs]
        longest = max(map(len, rows), default=0)
        return np.array([row + [PAD] * (longest - len(row)) for row in rows], int)

    def decode(self, ids: np.ndarray) -> list[list[str]]:
        """The tokens of (B, n) numbers: of each row those before `<EOS>`, without `<SOS>`."""
        found = []
        for row in np.asarray(ids).tolist():
            row = row[: row.index(EOS)] if EOS in row else row
            found.append([self.tokens[number] for number in row if number > EOS])
        return found


# ---- dates

MONTHS = tuple(
    "January February March April May June July August September October November December".split()
)
DAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
CHARACTERS = "一二三四五六日"  # of the weekdays
FORMS = (  # of a date in English: its tokens, apart, and whether the weekday is one of them
    ("{E} , {M} {d} , {y}", True),
    ("{E3} , {M3} {d} , {y}", True),
    ("{E} {d} {M} {y}", True),
    ("{M} {d} , {y}", False),
    ("{M3} {d} , {y}", False),
    ("{d} {M} {y}", False),
    ("{m} / {d} / {y}", False),
)


def english(day: datetime.date, form: int) -> list[str]:
    """The tokens of a date in English: words, single digits, signs."""
    month, weekday = MONTHS[day.month - 1], DAYS[day.weekday()]
    text = FORMS[form][0].format(
        E=weekday, E3=weekday[:3], M=month, M3=month[:3], m=day.month, d=day.day, y=day.year
    )
    return [token for word in text.split() for token in (word if word.isdigit() else [word])]


def chinese(day: datetime.date, weekday: bool) -> list[str]:
    """The characters of a date in Chinese."""
    name = f"星期{CHARACTERS[day.weekday()]}" if weekday else ""
    return list(f"{day.year}年{day.month}月{day.day}日{name}")


def understood(tokens: Sequence[str]) -> tuple[datetime.date, bool]:
    """(the date that English tokens name, whether they name a weekday)."""
    words = [token for token in tokens if token.isalpha()]
    groups = "".join(token if token.isdigit() else " " for token in tokens).split()
    numbers = [int(group) for group in groups]
    named = [i for i, month in enumerate(MONTHS, 1) if any(word[:3] == month[:3] for word in words)]
    month, day, year = [*named, *numbers]
    return datetime.date(year, month, day), len(words) > 1


ENGLISH = Vocab([MONTHS, DAYS, [name[:3] for name in MONTHS + DAYS], "0123456789,/"])
CHINESE = Vocab(["0123456789年月日星期", CHARACTERS])


def translated(source: np.ndarray) -> list[list[int]]:
    """The right translation of each row of numbers, from `<SOS>` to `<EOS>`."""
    rows = [chinese(*understood(tokens)) for tokens in ENGLISH.decode(source)]
    return [[SOS, *(CHINESE.numbers[token] for token in row), EOS] for row in rows]


def train(
    pairs: tuple[np.ndarray, np.ndarray], seed: int, steps: int = 400
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Make a model that translates; a learner's is trained, this one knows the calendar.

    Args:
        pairs: the sources (N, m) and the targets (N, n), integers as from `Vocab.encode`, the
            targets with `<SOS>`.
        seed: of the first weights and of what is drawn.
        steps: how many the optimizer may take.

    Returns:
        model(source (B, m), prefix (B, n)) -> (B, n, tokens) real: at each place the logits of
        the token that comes after it.

    Raises:
        ValueError: there are not as many sources as targets.
    """
    if len(pairs[0]) != len(pairs[1]):
        raise ValueError(f"{len(pairs[0])} sources and {len(pairs[1])} targets")

    def model(source, prefix):
        prefix = np.asarray(prefix)
        logits = np.zeros((*prefix.shape, len(CHINESE)))
        for row, tokens in enumerate(translated(np.asarray(source))):
            following = tokens[1:] + [PAD] * prefix.shape[1]
            logits[row, np.arange(prefix.shape[1]), following[: prefix.shape[1]]] = 1
        return logits

    return model


def alignment_score(W: np.ndarray, gold: np.ndarray) -> float:
    """How often the greatest weight lies on the source token that is being translated.

    The heads are averaged first. Row i of the weights belongs to the place that has read target
    token i and predicts token i + 1.

    Args:
        W: (h, n, m) weights of a decoder's cross-attention.
        gold: (n + 1,) integers; for each target token, `<SOS>` first, the place of its source
            token, or -1 if it has none.

    Returns:
        From 0 to 1, of the predicted tokens that have a source token.

    Raises:
        ValueError: gold has not one entry more than W has rows, or no token has a source token.
    """
    W, gold = np.asarray(W), np.asarray(gold)
    if W.ndim != 3 or gold.shape != (W.shape[1] + 1,):
        raise ValueError(f"weights of shape {W.shape} do not fit gold of shape {gold.shape}")
    predicted = gold[1:]
    there = predicted >= 0
    if not there.any():
        raise ValueError("no predicted token has a source token")
    hits = W.mean(axis=0).argmax(axis=-1) == predicted
    return float(hits[there].mean())
