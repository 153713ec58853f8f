"""The references of chapter translation, and right and wrong answers of another kind."""

import datetime

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograde.check import PRACTICE
from autograde.checks import translation as checks
from autograde.reference import translation as reference
from autograde.reference.translation import CHINESE, ENGLISH, EOS, PAD, SOS, Vocab, alignment_score

# The same inputs in every run, and nothing written beside the tests.
drawn = settings(max_examples=40, deadline=None, derandomize=True, database=None)
tokens = st.text("abcdefg年月日0123", min_size=1, max_size=3)
sequences = st.lists(st.lists(tokens, max_size=6), min_size=1, max_size=5)


# ---- Vocab


def test_vocab_worked_out_by_hand():
    vocab = Vocab([["b", "a"], ["c", "a"]])
    assert len(vocab) == 6
    np.testing.assert_array_equal(vocab.encode([["b", "a"], ["c"]]), [[4, 3, 2], [5, 2, 0]])
    np.testing.assert_array_equal(vocab.encode([["c"]], start=True), [[1, 5, 2]])
    assert vocab.decode([[1, 4, 3, 2, 5], [5, 2, 0, 0, 0], [3, 4, 0, 5, 1]]) == [
        ["b", "a"],
        ["c"],
        ["a", "b", "c"],
    ]


@drawn
@given(sequences, st.booleans())
def test_what_is_encoded_comes_back_whatever_stands_behind_it(seqs, start):
    vocab = Vocab(seqs)
    ids = vocab.encode(seqs, start)
    assert vocab.decode(ids) == seqs
    assert vocab.decode(np.concatenate([ids, ids], axis=1)) == seqs
    assert ((ids == EOS).sum(axis=1) == 1).all()
    assert ids.shape == (len(seqs), max(map(len, seqs)) + 1 + start)
    assert (ids[:, 0] == SOS).all() == start


@drawn
@given(sequences)
def test_the_order_of_the_sequences_does_not_matter(seqs):
    assert Vocab(seqs).tokens == Vocab(seqs[::-1]).tokens
    assert Vocab(seqs + seqs).tokens == Vocab(seqs).tokens


@pytest.mark.parametrize("stranger", ["x", "<EOS>", ""])
def test_vocab_refuses_what_it_does_not_know(stranger):
    with pytest.raises(ValueError, match="no number"):
        Vocab([["a"]]).encode([["a", stranger]])


def vocab_of_lists(seqs):
    """Lists and a dict, as much as possible at once."""

    class Listed:
        def __init__(self):
            self.all = ["<PAD>", "<SOS>", "<EOS>", *sorted({t for seq in seqs for t in seq})]

        def __len__(self):
            return len(self.all)

        def encode(self, batch, start=False):
            n = max(map(len, batch)) + 1 + start
            rows = [["<SOS>"] * start + list(seq) + ["<EOS>"] for seq in batch]
            rows = [row + ["<PAD>"] * (n - len(row)) for row in rows]
            return torch.tensor([[self.all.index(token) for token in row] for row in rows])

        def decode(self, ids):
            rows = [[self.all[i] for i in row] for row in ids]
            return [
                tuple(t for t in row[: row.index("<EOS>")] if t not in self.all[:3]) for row in rows
            ]

    return Listed()


def test_vocab_of_another_kind_passes():
    for seed in (PRACTICE, "one release", "another release"):
        verdict = checks.Vocab.verdict(vocab_of_lists, seed)
        assert verdict.fraction == 1, verdict.text()


# ---- train


def test_dates_worked_out_by_hand():
    day = datetime.date(2024, 3, 14)
    assert reference.english(day, 0) == "Thursday , March 1 4 , 2 0 2 4".split()
    assert reference.english(day, 4) == "Mar 1 4 , 2 0 2 4".split()
    assert "".join(reference.chinese(day, weekday=True)) == "2024年3月14日星期四"
    assert reference.understood("3 / 1 4 / 2 0 2 4".split()) == (day, False)
    assert (len(ENGLISH), len(CHINESE)) == (52, 24)


def test_a_date_that_is_written_is_understood_in_every_form():
    for number in np.random.default_rng(0).integers(690_000, 770_000, 200):
        day = datetime.date.fromordinal(int(number))
        for form, (_, weekday) in enumerate(reference.FORMS):
            assert reference.understood(reference.english(day, form)) == (day, weekday)


def test_the_reference_writes_the_translation_token_by_token():
    source = ENGLISH.encode([reference.english(datetime.date(1987, 12, 6), 0)])
    model, prefix = reference.train((source, source), seed=0), np.array([[SOS]])
    while prefix[0, -1] != EOS:
        prefix = np.column_stack([prefix, model(source, prefix)[:, -1].argmax(axis=-1)])
    assert "".join(CHINESE.decode(prefix)[0]) == "1987年12月6日星期日"
    assert (model(source, np.pad(prefix, ((0, 0), (0, 3))))[0, -3:].argmax(axis=-1) == PAD).all()


def test_training_needs_as_many_sources_as_targets():
    with pytest.raises(ValueError, match="2 sources and 3 targets"):
        reference.train((np.ones((2, 4), int), np.ones((3, 4), int)), seed=0)


def test_the_dates_to_translate_are_not_among_the_pairs():
    (call,) = checks.train.calls()
    given = call.arguments

    def named(ids):
        return {reference.understood(row)[0] for row in ENGLISH.decode(ids)}

    assert not named(given["sources"]) & named(given["unseen"])
    assert len(named(given["sources"])) == 12_000
    assert len(named(given["unseen"])) == 500
    used = set(np.unique(given["sources"]))
    assert set(np.unique(given["unseen"])) <= used  # no token is new
    (right, *_), (other, *_) = (checks.train.calls(seed)[0].arguments["unseen"] for seed in "ab")
    assert right.tolist() != other.tolist()


class Knows(torch.nn.Module):
    """A model of torch that knows the calendar, but for a share of the dates."""

    def __init__(self, wrong=0.0, change=lambda row: row):
        super().__init__()
        self.wrong, self.change, self.drop = wrong, change, torch.nn.Dropout(0.9)

    def forward(self, source, prefix):
        rows = reference.translated(source.numpy())
        few = round(self.wrong * len(rows))
        rows = [self.change(row) if i < few else row for i, row in enumerate(rows)]
        n = prefix.shape[1]
        following = torch.tensor([[*row[1:], *[PAD] * n][:n] for row in rows])
        return self.drop(torch.nn.functional.one_hot(following, len(CHINESE)).float())


def judged(model, steps=0):
    def train(pairs, seed, steps_allowed):
        weight = torch.nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.Adam([weight])
        for _ in range(steps):
            weight.grad = torch.ones(1)
            optimizer.step()
        return model

    return checks.train.verdict(train)


def other_digit(row):
    return [*row[:4], 3 + (row[4] - 2) % 10, *row[5:]]


@pytest.mark.parametrize(
    ("wrong", "fraction"), [(0, 1), (0.04, 1), (0.05, 1), (0.06, 0.94), (0.5, 0.5), (1, 0)]
)
def test_from_95_percent_on_a_model_earns_all_and_below_its_share(wrong, fraction):
    verdict = judged(Knows(wrong, other_digit))
    assert verdict.fraction == fraction
    if fraction < 1:
        assert verdict.hint == f"{1 - wrong:.1%} of the answers are right; 95% have to be."


@pytest.mark.parametrize(
    ("wrong", "change", "sentence"),
    [
        (0.8, lambda row: row[:-1] + [5] * 30, checks.STOP),
        (0.9, lambda row: [SOS, 4, 5, EOS], checks.SOURCE),
        (0.8, lambda row: [row[0], *row[4:0:-1], *row[5:]], checks.ORDER),
    ],
)
def test_what_is_wrong_in_most_dates_is_named(wrong, change, sentence):
    verdict = judged(Knows(wrong, change))
    assert verdict.hint == sentence
    assert verdict.fraction <= 0.5


@pytest.mark.parametrize(("steps", "fraction"), [(400, 1), (401, 0)])
def test_steps_of_the_optimizer_are_counted(steps, fraction):
    verdict = judged(Knows(), steps)
    assert verdict.fraction == fraction
    assert ("more steps" in verdict.hint) == (steps > 400)


def test_a_model_that_looks_ahead_a_little_earns_nothing():
    class Peeks(Knows):
        def forward(self, source, prefix):
            return super().forward(source, prefix) + 0.01 * prefix.float().mean()

    verdict = judged(Peeks())
    assert verdict.hint == checks.AHEAD
    assert verdict.fraction == 0


def test_logits_of_one_place_only_are_told_from_a_wrong_model():
    class Last(Knows):
        def forward(self, source, prefix):
            return super().forward(source, prefix)[:, -1]

    verdict = judged(Last())
    assert verdict.fraction == 0
    assert "they should have one axis more" in verdict.hint


def test_the_tasks_secret_does_not_cross_the_wall():
    """The right translations of the unseen dates are in no argument."""
    (call,) = checks.train.calls()
    (_, (right, *_)) = checks.train.expected()[0]
    seen = {tuple(row) for row in call.arguments["targets"].tolist()}
    n = call.arguments["targets"].shape[1]
    assert not seen & {tuple(row[:n]) for row in right.tolist()}


# ---- alignment_score


def test_alignment_worked_out_by_hand():
    W = np.array([[[0.2, 0.8], [0.4, 0.6]]])
    assert alignment_score(W, np.array([-1, 1, 0])) == 0.5
    assert alignment_score(W, np.array([1, 1, -1])) == 1
    # Two heads that disagree: the mean of the first row is greatest at place 0.
    W = np.array([[[0.9, 0.1]], [[0.4, 0.6]]])
    assert alignment_score(W, np.array([-1, 0])) == 1
    assert alignment_score(W, np.array([-1, 1])) == 0


@drawn
@given(st.integers(1, 4), st.integers(1, 9), st.integers(2, 9), st.integers(0, 99))
def test_alignment_of_weights_on_the_gold_place_is_1_and_of_others_0(h, n, m, seed):
    rng = np.random.default_rng(seed)
    gold = rng.integers(m, size=n + 1)
    W = np.tile(np.eye(m)[gold[1:]], (h, 1, 1))
    assert alignment_score(W, gold) == 1
    assert alignment_score(W, (gold + 1) % m) == 0
    shuffled = rng.permutation(m)
    assert alignment_score(W[:, :, shuffled], np.argsort(shuffled)[gold]) == 1


def test_alignment_refuses_what_does_not_fit():
    W = np.full((2, 3, 4), 0.25)
    for weights, gold in [(W, [0] * 3), (W, [0] * 5), (W[0], [0] * 3)]:
        with pytest.raises(ValueError, match="do not fit"):
            alignment_score(weights, np.array(gold))
    with pytest.raises(ValueError, match="no predicted token"):
        alignment_score(W, np.array([1, -1, -1, -1]))


def alignment_by_torch(W, gold):
    predicted = torch.from_numpy(gold)[1:]
    hits = torch.from_numpy(W).sum(0).argmax(-1) == predicted
    return hits[predicted >= 0].float().mean()


def alignment_row_by_row(W, gold):
    right = [list(row).index(max(row)) == gold[i + 1] for i, row in enumerate(sum(W))]
    there = [place >= 0 for place in gold[1:]]
    return float(sum(r and t for r, t in zip(right, there, strict=True)) / sum(there))


@pytest.mark.parametrize("function", [alignment_by_torch, alignment_row_by_row])
def test_alignment_of_another_kind_passes(function):
    for seed in (PRACTICE, "one release", "another release"):
        verdict = checks.alignment_score.verdict(function, seed)
        assert verdict.fraction == 1, verdict.text()
