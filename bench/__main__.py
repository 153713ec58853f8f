"""`python -m bench`: measure everything, write RESULTS.md and its plot, print the ratios last."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

from bench import cost, scale

HERE = Path(__file__).parent
PACKAGES = ("nbgrader", "numpy", "torch", "ipython", "distributed", "sqlalchemy")


def main() -> None:
    """All of it; the last lines are the ratios, one a line."""
    table = cost.measure()
    runs = scale.measure()
    ratios = cost.ratios(table) | {
        "per_notebook_1000_over_100": scale.per_notebook(runs),
        "dask_two_over_one": scale.dask(),
    }
    lines = [f"{name} {value:.2f}" for name, value in ratios.items()]
    write(table, runs, lines)
    draw(table, runs)
    print("\n".join(["", *lines]))


def write(table: dict[str, dict[str, float]], runs: list[scale.Run], lines: list[str]) -> None:
    """The results as a page."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    text = [
        "# What grading costs",
        "",
        f"Made by `make bench` on {datetime.now(UTC):%Y-%m-%d}: {os.cpu_count()} processors "
        f"({_processor()}), {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, {packages}, otter-grader {cost.OTTER_VERSION}.",
        "",
        "## CPU milliseconds a notebook",
        "",
        f"Marginal cost, median of {cost.ROUNDS} rounds in alternation; what each column is stands "
        "in `bench/cost.py` and `bench/layers.py`.",
        "",
        *_rows(table),
        "",
        "What `ours` is made of: the difference between each column and the next.",
        "",
        *_rows({chapter: cost.parts(row) for chapter, row in table.items()}),
        "",
        "## From ten submissions to a thousand",
        "",
        f"`{scale.CHAPTER}`, one submission in {scale.HOSTILE} hostile, a gradebook from nothing; "
        "the run of median cost, of "
        + ", ".join(f"{rounds} with {size}" for size, rounds in scale.ROUNDS.items())
        + ".",
        "",
        "| submissions | graded right | seconds | CPU s | CPU ms each | MiB of the leader |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {run.count} | {run.right} | {run.seconds:.1f} | {run.cpu:.1f} | "
            f"{1000 * run.cpu / run.count:.1f} | {max(run.memory):.0f} at most |"
            for run in runs
        ),
        "",
        "![Left: the cost of a notebook by each way and chapter, on a logarithmic axis. Right: the "
        "memory of the leading process over a run of a thousand.](results.svg)",
        "",
        "## Ratios",
        "",
        "```text",
        *lines,
        "```",
        "",
    ]
    (HERE / "RESULTS.md").write_text("\n".join(text), "utf-8")


def _rows(table: dict[str, dict[str, float]]) -> list[str]:
    """A table of the page, with a row for each chapter."""
    columns = [*next(iter(table.values()))]
    rows = [
        f"| {chapter} | " + " | ".join(f"{value:.1f}" for value in row.values()) + " |"
        for chapter, row in table.items()
    ]
    return [
        "| chapter | " + " | ".join(columns) + " |",
        "| --- |" + " ---: |" * len(columns),
        *rows,
    ]


def draw(table: dict[str, dict[str, float]], runs: list[scale.Run]) -> None:
    """The plot that the page shows."""
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(12, 4), width_ratios=(3, 2), layout="constrained"
    )
    for place, (chapter, row) in enumerate(table.items()):
        offsets = [i + 0.25 * (place - (len(table) - 1) / 2) for i in range(len(row))]
        left.bar(offsets, list(row.values()), 0.22, label=chapter)
    left.set(yscale="log", ylabel="CPU milliseconds a notebook")
    left.set_xticks(range(len(cost.WAYS)), list(cost.WAYS))
    left.legend(frameon=False)
    largest = runs[-1]
    right.plot([0.1 * i for i in range(len(largest.memory))], largest.memory)
    right.set(xlabel=f"seconds of a run over {largest.count} submissions",
              ylabel="MiB of the leading process", ylim=(0, None))  # fmt: skip
    figure.savefig(HERE / "results.svg")


def _processor() -> str:
    """The name of the processor, if the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
