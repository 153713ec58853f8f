"""The translator of the capstone: exact match on unseen dates, and what its training costs.

Prints, for seeds 0, 1 and 2, the share of 1,000 unseen dates that are translated exactly after 400
steps, with seconds and CPU seconds, beside `torch.nn.Transformer` of the same size, trained in the
same run on the same batches by the same function. Then trains what the page compares it with, and
writes all weights that the page loads: `book/translation.npz`.
"""

import statistics
import sys
import time
import warnings

import torch
from torch import nn

from autograde.wall import COURSE

sys.path.insert(0, str(COURSE / "book"))
import dates

SEEDS = (0, 1, 2)
SEEN, UNSEEN = 12_000, 1_000


class Ready(dates.Translator):
    """The same translator with torch's own layers in the place of ours."""

    def __init__(self, source: int, target: int, size: dates.Size = dates.Size()):
        super().__init__(source, target, size)
        self.encoder = self.decoder = self.encoder_norm = self.decoder_norm = None
        self.layers = nn.Transformer(
            size.d_model, size.heads, size.layers, size.layers, size.d_ff,
            dropout=0.0, batch_first=True, norm_first=True,
        )  # fmt: skip

    def encode(self, source):
        padding = source == dates.PAD
        x = self.source(source) + self.places[: source.shape[1]]
        return self.layers.encoder(x, src_key_padding_mask=padding), padding

    def decode(self, prefix, memory, words, first=0):
        n = prefix.shape[1]
        hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
        y = self.target(prefix) + self.places[first : first + n]
        y = self.layers.decoder(y, memory, hidden, memory_key_padding_mask=words)
        return self.read(y)


def main() -> None:
    """Print the table and write the weights."""
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", "enable_nested_tensor")
    lesson = dates.Lesson.of(dates.pairs(SEEN + UNSEEN, seed=0), UNSEEN)
    print("model                 seed  weights  exact match  seconds  CPU seconds")
    kept, cost = {}, {}
    for kind, name in ((dates.Translator, "from scratch"), (Ready, "torch.nn.Transformer")):
        for seed in SEEDS:
            before, cpu_before = time.perf_counter(), time.process_time()
            model = lesson.trained(seed, kind=kind)
            seconds, cpu = time.perf_counter() - before, time.process_time() - cpu_before
            size = sum(parameter.numel() for parameter in model.parameters())
            exact = lesson.exact_match(model)
            print(
                f"{name:20} {seed:5} {size:8,} {exact:12.3f} {seconds:8.1f} {cpu:12.1f}", flush=True
            )
            kept.setdefault(name, model)
            cost.setdefault(name, []).append(cpu)
    ours, ready = (statistics.median(of) for of in cost.values())
    print(f"cpu_over_torch {ours / ready:.2f}")
    models = {"whole": kept["from scratch"]}
    print("\nchanged, seed 0        exact match on the same dates")
    for name, size in dates.CHANGES.items():
        models[name] = lesson.trained(0, size)
        print(f"{name:20} {lesson.exact_match(models[name]):12.3f}", flush=True)
    last_century = dates.Lesson.of(
        dates.pairs(SEEN + UNSEEN, seed=0, years=(1900, 1999)), UNSEEN, like=lesson
    )
    models["20th century"] = last_century.trained(0)
    print(f"20th century, in it  {last_century.exact_match(models['20th century']):12.3f}")
    dates.save(dates.WEIGHTS, models)
    print(f"\n{dates.WEIGHTS.name}: {len(models)} models, {dates.WEIGHTS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
