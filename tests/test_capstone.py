"""The translator of the capstone: its dates, its layers beside torch's own, its weights."""

import datetime
import sys

import numpy as np
import pytest
import torch
from torch import nn

from autograde.reference import translation as reference
from autograde.wall import COURSE

sys.path.insert(0, str(COURSE / "book"))
import dates

SEEN, UNSEEN = 12_000, 1_000  # as in bench/capstone.py


@pytest.fixture(scope="module")
def lesson():
    return dates.Lesson.of(dates.pairs(SEEN + UNSEEN, seed=0), UNSEEN)


@pytest.fixture(scope="module")
def whole(lesson):
    return dates.load(dates.WEIGHTS, "whole", lesson.model())


# ---- dates


def test_a_date_worked_out_by_hand():
    one = dates.pair(datetime.date(2024, 3, 14), "EEEE, MMMM d, y")
    assert one.source == ("Thursday", ",", "March", "1", "4", ",", "2", "0", "2", "4")
    assert "".join(one.target) == "2024年3月14日星期四"
    assert one.places == (6, 7, 8, 9, -1, 2, -1, 3, 4, -1, -1, -1, 0)
    # A month's name stands for both of its digits; in 12/5 each digit stands for itself.
    assert dates.pair(datetime.date(2024, 12, 1), "d MMMM y").places[5:7] == (1, 1)
    assert dates.pair(datetime.date(2024, 12, 1), "M/d/y").places[5:7] == (0, 1)


def test_a_digit_is_aligned_with_the_same_digit(lesson):
    for one in lesson.unseen:
        for character, place in zip(one.target, one.places, strict=True):
            if place >= 0 and one.source[place].isdigit():
                assert one.source[place] == character
            assert (place < 0) == (character in "年月星期") or character == "日"


def test_no_date_is_both_seen_and_unseen(lesson):
    def named(pairs):
        return {"".join(one.target).partition("星")[0] for one in pairs}

    assert len(named(lesson.seen + lesson.unseen)) == SEEN + UNSEEN
    assert not named(lesson.seen) & named(lesson.unseen)


def test_the_exercise_draws_the_dates_of_the_locale_data():
    patterns = [
        "EEEE, MMMM d, y", "EEE, MMM d, y", "EEEE d MMMM y",
        "MMMM d, y", "MMM d, y", "d MMMM y", "M/d/y",
    ]  # fmt: skip
    for number in np.random.default_rng(0).integers(693_596, 766_000, 200):
        day = datetime.date.fromordinal(int(number))
        for form, pattern in enumerate(patterns):
            one = dates.pair(day, pattern)
            assert tuple(reference.english(day, form)) == one.source
            assert tuple(reference.chinese(day, reference.FORMS[form][1])) == one.target
            assert reference.understood(one.source) == (day, reference.FORMS[form][1])


# ---- the model


def attention_into(theirs: nn.MultiheadAttention, ours: dates.Attention) -> None:
    weights = torch.cat([ours.W_Q.weight, ours.W_K.weight, ours.W_V.weight])
    theirs.load_state_dict(
        {
            "in_proj_weight": weights,
            "in_proj_bias": torch.zeros(len(weights)),
            "out_proj.weight": ours.W_O.weight,
            "out_proj.bias": torch.zeros(len(ours.W_O.weight)),
        }
    )


def layer_into(theirs: nn.Module, ours: dates.Layer) -> nn.Module:
    attention_into(theirs.self_attn, ours.own)
    norms = [ours.own_norm, ours.ffn_norm]
    if hasattr(ours, "cross"):
        attention_into(theirs.multihead_attn, ours.cross)
        norms.insert(1, ours.cross_norm)
    for number, norm in enumerate(norms, start=1):
        getattr(theirs, f"norm{number}").load_state_dict(norm.state_dict())
    theirs.linear1.load_state_dict(ours.ffn[0].state_dict())
    theirs.linear2.load_state_dict(ours.ffn[2].state_dict())
    return theirs.eval()


@torch.no_grad()
def test_its_layers_are_those_of_torch(lesson, whole):
    size = whole.size
    settings = (size.d_model, size.heads, size.d_ff, 0.0)
    more = {"batch_first": True, "norm_first": True}
    source = dates.numbered([one.source for one in lesson.unseen[:50]], lesson.english)
    prefix = dates.numbered([one.target for one in lesson.unseen[:50]], lesson.chinese, start=True)
    padding = source == dates.PAD
    x = whole.source(source) + whole.places[: source.shape[1]]
    y = whole.target(prefix) + whole.places[: prefix.shape[1]]
    hidden = nn.Transformer.generate_square_subsequent_mask(prefix.shape[1]).isinf()
    for layer in whole.encoder:
        x = layer_into(nn.TransformerEncoderLayer(*settings, **more), layer)(
            x, src_key_padding_mask=padding
        )
    x = whole.encoder_norm(x)
    for layer in whole.decoder:
        y = layer_into(nn.TransformerDecoderLayer(*settings, **more), layer)(
            y, x, hidden, memory_key_padding_mask=padding
        )
    expected = whole.read(whole.decoder_norm(y))
    torch.testing.assert_close(whole(source, prefix), expected, rtol=1e-4, atol=1e-4)


def test_no_prediction_depends_on_later_tokens_or_on_padding(lesson, whole):
    source = dates.numbered([one.source for one in lesson.unseen[:50]], lesson.english)
    prefix = dates.numbered([one.target for one in lesson.unseen[:50]], lesson.chinese, start=True)
    other, longer = prefix.clone(), nn.functional.pad(source, (0, 4))
    other[:, 6:] = 3
    with torch.no_grad():
        logits = whole(source, prefix)
        torch.testing.assert_close(whole(source, other)[:, :6], logits[:, :6])
        torch.testing.assert_close(whole(longer, prefix), logits, rtol=1e-4, atol=1e-4)
        assert (whole(source, other)[:, 6:] - logits[:, 6:]).abs().max() > 1


def test_greedy_writes_one_row_as_it_writes_many_and_stops(lesson, whole):
    pairs = lesson.unseen[:20]
    source = dates.numbered([one.source for one in pairs], lesson.english)
    together = dates.greedy(whole, source)
    for row, one in zip(together, pairs, strict=True):
        alone = dates.greedy(whole, dates.numbered([one.source], lesson.english))[0]
        assert alone.tolist() == row[: len(alone)].tolist()
        assert (row[len(alone) :] == dates.PAD).all()
    assert dates.greedy(whole, source, longest=3).shape == (20, 4)
    assert dates.texts(torch.tensor([[1, 5, 3], [1, 4, 2]]), list("PSEabc")) == ["ca…", "b"]


# ---- the weights


def test_the_weights_translate_dates_that_were_not_trained_on(lesson, whole):
    assert lesson.exact_match(whole) >= 0.99
    # Other days than those of the lesson, too: whatever was seen is left out.
    seen = {one.target for one in lesson.seen}
    others = [one for one in dates.pairs(400, seed=99) if one.target not in seen]
    assert lesson.exact_match(whole, others) >= 0.99


def test_the_file_is_small_and_in_float16():
    with np.load(dates.WEIGHTS) as arrays:
        assert {array.dtype for array in arrays.values()} == {np.dtype(np.float16)}
        names = {key.partition("/")[0] for key in arrays}
    assert names == {"whole", *dates.CHANGES, "20th century"}
    assert dates.WEIGHTS.stat().st_size < 1_500_000


def test_training_lowers_the_loss_and_the_seed_makes_it_repeatable(lesson):
    def losses():
        torch.manual_seed(3)
        few = lesson.seen[:500]
        source = dates.numbered([one.source for one in few], lesson.english)
        target = dates.numbered([one.target for one in few], lesson.chinese, start=True)
        return dates.learn(
            lesson.model(dates.Size(d_model=16, heads=2, layers=1)), source, target, 3, 25
        )

    first = losses()
    assert first[-1] < 0.9 * first[0]
    assert losses() == first
