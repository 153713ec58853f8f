"""Dates in English and in Chinese, and a small Transformer that translates the one to the other.

The pairs come from Babel, which holds the locale data of Unicode's CLDR. The model is that of
Vaswani et al. (2017), small, with the norm before each sublayer; nothing of `torch.nn.Transformer`
is used. The page loads weights that `python -m bench.capstone` has trained.
"""

import datetime
import random
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from babel import Locale
from babel.dates import format_date
from torch import nn

WEIGHTS = Path(__file__).with_name("translation.npz")

# ---- dates

# Patterns of CLDR: EEEE is a weekday, MMMM a month, d a day, y a year.
WITH_WEEKDAY = ("EEEE, MMMM d, y", "EEE, MMM d, y", "EEEE d MMMM y")
WITHOUT = ("MMMM d, y", "MMM d, y", "d MMMM y", "M/d/y")
ENGLISH, CHINESE = Locale.parse("en_US"), Locale.parse("zh_CN")
CHINESE_DATE = re.compile(r"(\d+)年(\d+)月(\d+)日(?:星期(.))?")
TOKEN = re.compile(r"[A-Za-z]+|\d|[^\sA-Za-z\d]")


@dataclass(frozen=True)
class Pair:
    """A date in two languages.

    Attributes:
        source: the English tokens: words, single digits, signs.
        target: the Chinese characters.
        places: for each character the place in the source of what it translates; -1 for the five
            that have no counterpart there: 年, 月, 日, 星, 期.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    places: tuple[int, ...]


def pair(day: datetime.date, pattern: str) -> Pair:
    """A date, in English by a pattern and in Chinese with a weekday if the pattern has one."""
    source = tuple(TOKEN.findall(format_date(day, pattern, ENGLISH)))
    chinese = "full" if pattern in WITH_WEEKDAY else "long"
    target = tuple(format_date(day, chinese, CHINESE))
    return Pair(source, target, _places(source, target, pattern))


def _places(source: tuple[str, ...], target: tuple[str, ...], pattern: str) -> tuple[int, ...]:
    """Where each character of the target stands in the source."""
    of: dict[str, list[int]] = {"E": [], "M": [], "d": [], "y": []}
    fields = iter(letter for letter in re.findall(r"[EMdy]+", pattern))
    before = ""
    for place, token in enumerate(source):
        if token.isalnum():
            # Neighbouring digits are of one field; all else begins a new one.
            if not (token.isdigit() and before.isdigit()):
                field = next(fields)[0]
            of[field].append(place)
        before = token
    if pattern != "M/d/y":  # a month's name stands for both of its digits
        of["M"] = of["M"] * 2
    places = [-1] * len(target)
    found = CHINESE_DATE.fullmatch("".join(target))
    for group, field in enumerate("yMdE", start=1):
        for there, here in zip(range(*found.span(group)), of[field], strict=False):
            places[there] = here
    return tuple(places)


def pairs(size: int, seed: int, years: tuple[int, int] = (1900, 2099)) -> list[Pair]:
    """Different days of some years, drawn without putting back, each by one of seven patterns."""
    rng = random.Random(seed)
    first, last = datetime.date(years[0], 1, 1), datetime.date(years[1], 12, 31)
    days = rng.sample(range(first.toordinal(), last.toordinal() + 1), size)
    patterns = WITH_WEEKDAY + WITHOUT
    return [pair(datetime.date.fromordinal(day), rng.choice(patterns)) for day in days]


# ---- tokens

PAD, SOS, EOS = range(3)
SPECIAL = ("<PAD>", "<SOS>", "<EOS>")


def vocabulary(sentences: list[tuple[str, ...]]) -> list[str]:
    """The special tokens, then all others in order; a token's place is its number."""
    return [*SPECIAL, *sorted(set().union(*sentences))]


def numbered(sentences: list[tuple[str, ...]], tokens: list[str], start=False) -> torch.Tensor:
    """(B, n): each sentence as numbers, with `<EOS>` behind, then `<PAD>`.

    With `start`, `<SOS>` stands before each.
    """
    number = {token: place for place, token in enumerate(tokens)}
    rows = [torch.tensor([number[token] for token in of] + [EOS]) for of in sentences]
    padded = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)
    return F.pad(padded, (1, 0), value=SOS) if start else padded


# ---- the model


@dataclass(frozen=True)
class Size:
    """The sizes of a model, and what of it may be left out to see what it is good for."""

    d_model: int = 32
    heads: int = 4
    d_ff: int = 128
    layers: int = 2
    positions: bool = True
    causal: bool = True
    scaled: bool = True


# What the page leaves out or changes, one at a time.
CHANGES = {
    "no causal mask": Size(causal=False),
    "no positions": Size(positions=False),
    "no scaling": Size(scaled=False),
    "no FFN": Size(d_ff=0),
    "one head": Size(heads=1),
    "one layer": Size(layers=1),
}


class Attention(nn.Module):
    """Several heads; (B, n, d) ask (B, m, d). `maps` holds the last weights, (B, h, n, m)."""

    def __init__(self, size: Size):
        super().__init__()
        d = size.d_model
        self.heads = size.heads
        self.factor = (d // size.heads) ** -0.5 if size.scaled else 1.0
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.register_buffer("kept", torch.ones(size.heads), persistent=False)

    def forward(self, x, y, may_look):
        def cut(rows):
            return rows.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        Q, K, V = cut(self.W_Q(x)), cut(self.W_K(y)), cut(self.W_V(y))
        scores = self.factor * Q @ K.mT
        self.maps = scores.masked_fill(~may_look, -torch.inf).softmax(-1)
        mixed = self.kept[:, None, None] * (self.maps @ V)
        return self.W_O(mixed.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Self-attention, in a decoder cross-attention, and two matrices; each behind a norm."""

    def __init__(self, size: Size, cross: bool):
        super().__init__()
        d = size.d_model
        self.own, self.own_norm = Attention(size), nn.LayerNorm(d)
        if cross:
            self.cross, self.cross_norm = Attention(size), nn.LayerNorm(d)
        if size.d_ff:
            self.ffn = nn.Sequential(nn.Linear(d, size.d_ff), nn.ReLU(), nn.Linear(size.d_ff, d))
            self.ffn_norm = nn.LayerNorm(d)

    def forward(self, x, may_look, memory=None, words=None):
        normed = self.own_norm(x)
        x = x + self.own(normed, normed, may_look)
        if memory is not None:
            x = x + self.cross(self.cross_norm(x), memory, words)
        return x + self.ffn(self.ffn_norm(x)) if hasattr(self, "ffn") else x


class Translator(nn.Module):
    """An encoder and a decoder.

    Args:
        source: how many tokens the source's vocabulary has.
        target: how many the target's has.
        size: the rest.
    """

    def __init__(self, source: int, target: int, size: Size = Size()):
        super().__init__()
        d = size.d_model
        self.size = size
        self.source, self.target = nn.Embedding(source, d), nn.Embedding(target, d)
        self.encoder = nn.ModuleList(Layer(size, cross=False) for _ in range(size.layers))
        self.decoder = nn.ModuleList(Layer(size, cross=True) for _ in range(size.layers))
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(d), nn.LayerNorm(d)
        self.read = nn.Linear(d, target)
        angles = torch.arange(64)[:, None] / 10_000 ** (torch.arange(0, d, 2) / d)
        places = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
        self.register_buffer("places", size.positions * places, persistent=False)

    def encode(self, source):
        """What the encoder makes of (B, m) tokens, and which of them are words."""
        words = (source != PAD)[:, None, None]
        x = self.source(source) + self.places[: source.shape[1]]
        for layer in self.encoder:
            x = layer(x, words)
        return self.encoder_norm(x), words

    def decode(self, prefix, memory, words, first: int = 0):
        """Logits (B, n, vocabulary) of the token after each of (B, n), which stand from `first`."""
        n = prefix.shape[1]
        may_look = torch.ones(n, n, dtype=torch.bool)
        if self.size.causal:
            may_look = may_look.tril()
        x = self.target(prefix) + self.places[first : first + n]
        for layer in self.decoder:
            x = layer(x, may_look, memory, words)
        return self.read(self.decoder_norm(x))

    def forward(self, source, prefix):
        return self.decode(prefix, *self.encode(source))


def learn(
    model: nn.Module, source: torch.Tensor, target: torch.Tensor, seed: int, steps: int = 400
) -> list[float]:
    """Train a model on pairs, with the true tokens before each one it predicts.

    Returns:
        The loss at each step.
    """
    rng = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 6e-3 * min(1, (step + 1) / 50) * (1 - step / steps) ** 0.5
        chosen = torch.randint(len(source), (64,), generator=rng)
        logits = model(source[chosen], target[chosen, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), target[chosen, 1:].flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def greedy(
    model: Translator, source: torch.Tensor, longest: int = 20, window: int | None = None
) -> torch.Tensor:
    """(B, n): `<SOS>`, then the likeliest token again and again until `<EOS>`, then `<PAD>`.

    Args:
        longest: how many tokens to write at most.
        window: how many of the last tokens the decoder is shown; None means all.
    """
    memory, words = model.encode(source)
    written = torch.full((len(source), 1), SOS)
    done = torch.zeros(len(source), dtype=torch.bool)
    while written.shape[1] <= longest and not done.all():
        n = written.shape[1]
        first = max(0, n - window) if window else 0
        logits = model.decode(written[:, first:], memory, words, first)[:, -1]
        following = logits.argmax(-1).masked_fill(done, PAD)
        written = torch.cat([written, following[:, None]], 1)
        done |= following == EOS
    return written


def texts(written: torch.Tensor, tokens: list[str]) -> list[str]:
    """What was written, as text; with `…` behind where no `<EOS>` came."""
    found = []
    for row in written.tolist():
        end = row.index(EOS) if EOS in row else len(row)
        text = "".join(tokens[number] for number in row[:end] if number > EOS)
        found.append(text if EOS in row else text + "…")
    return found


# ---- a lesson


@dataclass(frozen=True)
class Lesson:
    """Pairs to learn from, pairs to be tested on, and the tokens of both languages."""

    english: list[str]
    chinese: list[str]
    seen: list[Pair]
    unseen: list[Pair]

    @classmethod
    def of(cls, pairs: list[Pair], unseen: int, like: "Lesson | None" = None) -> "Lesson":
        """Keep the last pairs for the test; take the tokens of all, or of another lesson."""
        english = like.english if like else vocabulary([one.source for one in pairs])
        chinese = like.chinese if like else vocabulary([one.target for one in pairs])
        return cls(english, chinese, pairs[:-unseen], pairs[-unseen:])

    def model(self, size: Size = Size(), kind: type[Translator] = Translator) -> Translator:
        """An untrained model for these tokens."""
        return kind(len(self.english), len(self.chinese), size)

    def trained(
        self, seed: int, size: Size = Size(), kind: type[Translator] = Translator
    ) -> Translator:
        """A model trained on the pairs that are to be seen."""
        torch.manual_seed(seed)
        model = self.model(size, kind)
        source = numbered([one.source for one in self.seen], self.english)
        target = numbered([one.target for one in self.seen], self.chinese, start=True)
        learn(model, source, target, seed)
        return model.eval()

    def translations(self, model: Translator, pairs: list[Pair], **how) -> list[str]:
        """What a model makes of the sources of some pairs; `how` as for `greedy`."""
        source = numbered([one.source for one in pairs], self.english)
        return texts(greedy(model, source, **how), self.chinese)

    def exact_match(self, model: Translator, pairs: list[Pair] | None = None, **how) -> float:
        """The share of pairs (the unseen ones) whose translation is right, all of it."""
        pairs = pairs or self.unseen
        right = ["".join(one.target) for one in pairs]
        given = self.translations(model, pairs, **how)
        return sum(map(str.__eq__, given, right)) / len(right)


# ---- weights in a file


def save(path: Path, models: dict[str, Translator]) -> None:
    """Write the weights of some models by their names, in float16."""
    arrays = {
        f"{name}/{key}": value.numpy().astype(np.float16)
        for name, model in models.items()
        for key, value in model.state_dict().items()
    }
    np.savez_compressed(path, **arrays)


def load(path: Path, name: str, model: Translator) -> Translator:
    """Give a model its weights in a file."""
    with np.load(path) as arrays:
        state = {key: torch.from_numpy(arrays[f"{name}/{key}"]) for key in model.state_dict()}
    model.load_state_dict(state)
    return model.eval()
