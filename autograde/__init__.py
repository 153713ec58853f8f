"""Grade a submitted notebook: its code runs behind a wall, its answers are judged outside.

Read in this order; each module imports only from those before it:

    plain         what crosses the wall: calls, answers, arrays as bytes
    confine       inside the wall: what a fork gives up before a submission runs in it
    seccomp       inside the wall: system calls that the kernel refuses
    shell         inside the wall: notebook cells run as Jupyter does, outputs kept
    worker        inside the wall: run the cells, make the calls
    warm          inside the wall: a process that forks for each submission, and watches it
    wall          the wall itself: the command that starts that process behind it
    bubble        builds it where bubblewrap is not installed
    sandbox       outside the wall: workers, their limits, one step at a time
    submission    outside the wall: a submission's cells and calls, to their end
    reference/    how each exercise is meant to work, one module per chapter
    check         what a check is, and how answers become a verdict
    checks/       the checks, one module per chapter
    wheel         the part that needs NumPy only, packed for a page in a browser
    notebook      a submission's code out of a notebook; outputs and verdicts into it
    grader        one notebook in, its graded notebook and verdicts out
    cohort        many notebooks at once, on any executor; what is graded stays graded
    release       exercises as they were released, untouched
    executors     where that happens: processes of this computer, or Dask
    zip_collect   submissions out of zip files and to their students, as nbgrader collects them
    hand_in       submissions in: what lies in grading/submitted
    preprocessor  the steps nbgrader runs in the place of its own Execute
    record        graded notebooks into nbgrader's gradebook
    hand_back     grades out: the table that nbgrader exports
    feedback      a student's Markdown on nbgrader's pages, only to be read
    report        the class at a glance
    grading       a chapter of a class: submissions in, graded at once, recorded
    regrade       a chapter again, after a check was mended, and what changed
    __main__      the command line: python -m autograde
"""

import sys
from typing import Any, cast

# nbformat imports jsonschema, and that, if it can, a package that makes a grammar of international
# web addresses: 0.7 s at the start of each process, for a check that nothing here asks for.
cast(dict[str, Any], sys.modules).setdefault("rfc3987_syntax", None)
