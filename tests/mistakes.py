"""Every mistake that the checks know: killed, named by its own sentence, told from all others.

`python -m tests.mistakes` prints a row for each check and the sums last. The exit code is 1 if a
mistake passes, is taken for another one, or gives the same answers as another one.
"""

import sys
from importlib import import_module
from itertools import combinations
from pathlib import Path

from autograde import checks
from autograde.check import PRACTICE, Check, same

# "chapter.function" -> check
CHECKS = {
    f"{path.stem}.{name}": check
    for path in sorted(Path(checks.__file__).parent.glob("[!_]*.py"))
    for name, check in vars(import_module(f"autograde.checks.{path.stem}")).items()
    if isinstance(check, Check)
}


def survivors(check: Check, seed: str = PRACTICE) -> list[str]:
    """The mistakes that earn more than half, or are not named by their own sentence."""
    verdicts = {name: check.verdict(mistake, seed) for name, mistake in check.mistakes.items()}
    return [name for name, of in verdicts.items() if of.fraction > 0.5 or of.hint != name]


def alike(check: Check, seed: str = PRACTICE) -> list[tuple[str, str]]:
    """Pairs of mistakes whose answers are the same in every case."""
    answers = {name: check._answers(mistake, seed) for name, mistake in check.mistakes.items()}
    return [
        (one, other)
        for one, other in combinations(check.mistakes, 2)
        if all(
            same(first, second, check.rtol, check.atol)
            for first, second in zip(answers[one], answers[other], strict=True)
        )
    ]


def main() -> int:
    """Print the table; return the exit code."""
    print(f"{'check':34} {'cases':>5} {'mistakes':>8} {'killed':>6} {'told apart':>10}")
    total = dead = apart = 0
    for name, check in CHECKS.items():
        alive, pairs = survivors(check), alike(check)
        mixed = {mistake for pair in pairs for mistake in pair}
        count = len(check.mistakes)
        row = (count, count - len(alive), count - len(mixed))
        print(f"{name:34} {len(check.cases):5} {row[0]:8} {row[1]:6} {row[2]:10}")
        for mistake in alive:
            print(f"    not killed, or not named: {mistake}")
        for one, other in pairs:
            print(f"    the same answers: {one} / {other}")
        total, dead, apart = total + row[0], dead + row[1], apart + row[2]
    print(f"mistakes {total} killed {dead} told_apart {apart}")
    return 0 if total == dead == apart else 1


if __name__ == "__main__":
    sys.exit(main())
