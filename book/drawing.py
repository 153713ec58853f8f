"""Figures as inline SVG, which follow the page's theme and name themselves to a screen reader."""

import hashlib
import html
import io
import logging
import re

# On a new machine matplotlib lists the fonts once and says so on stderr, which fails the build.
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)

import matplotlib.pyplot as plt  # noqa: E402 - after that
import numpy as np  # noqa: E402 - after that
from IPython.display import HTML, display  # noqa: E402 - after that

# Blue, vermilion, green, purple, ochre, each with a contrast of at least 3 on the light page and on
# the dark one.
COLORS = ["#1f83c6", "#d55e00", "#00916a", "#b8639a", "#a87b00"]

# Whatever is drawn in this colour takes the colour of the page's text.
INK = "#010203"

plt.rcParams.update(
    {
        "axes.edgecolor": INK,
        "axes.facecolor": "none",
        "axes.labelcolor": INK,
        "axes.prop_cycle": plt.cycler(color=COLORS),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "figure.constrained_layout.use": True,
        "figure.facecolor": "none",
        "figure.figsize": (5.6, 3.4),
        "font.size": 11,
        "grid.alpha": 0.2,
        "grid.color": INK,
        "legend.frameon": False,
        "svg.fonttype": "path",
        # Without a salt matplotlib names its parts at random: no two builds give the same bytes.
        "svg.hashsalt": "attention, tested",
        "text.color": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
)


def show(fig: plt.Figure, alt: str) -> None:
    """Display a figure as one SVG inside the page, and close it.

    Args:
        fig: what to draw; what it holds in `INK` (text and axes do) follows the theme.
        alt: what is seen, as a sentence; a screen reader says it in place of the figure.

    Raises:
        ValueError: alt is empty.
    """
    if not alt.strip():
        raise ValueError("a figure needs a sentence that says what is seen")
    buffer = io.StringIO()
    fig.savefig(buffer, format="svg", metadata={"Creator": None, "Date": None})
    plt.close(fig)
    display(HTML(inline_svg(buffer.getvalue(), " ".join(alt.split()))))


def inline_svg(svg: str, alt: str) -> str:
    """Turn matplotlib's SVG file into an element that lives among others on a page.

    The ids that the drawing refers to get a prefix of their own, since two figures on one page may
    not share one; all other ids go.
    """
    prefix = "d" + hashlib.sha256((svg + alt).encode()).hexdigest()[:10]
    body = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = body.replace("xlink:href", "href").replace(INK, "currentColor")
    used = set(re.findall(r'href="#([^"]+)"', body)) | set(re.findall(r"url\(#([^)]+)\)", body))
    body = re.sub(
        r' id="([^"]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in used else "", body
    )
    body = re.sub(r'(href="|url\()#', rf"\1#{prefix}-", body)
    # An empty line would end the block of HTML for a Markdown reader.
    body = re.sub(r"\n\s*\n", "\n", body.strip())
    left, top, width, height = re.search(r'viewBox="([^"]+)"', svg)[1].split()
    return (
        f'<svg class="drawing" role="img" aria-label="{html.escape(alt)}" '
        f'viewBox="{left} {top} {width} {height}" xmlns="http://www.w3.org/2000/svg" '
        f'style="width: {width}pt; max-width: 100%; height: auto">\n{body}\n</svg>'
    )


def heatmap(
    values: np.ndarray,
    rows: list[str],
    columns: list[str],
    *,
    title: str = "",
    row_label: str = "queries",
    column_label: str = "keys",
    fmt: str = "{:.2f}",
    ax: plt.Axes | None = None,
) -> tuple[plt.Figure, plt.Axes]:
    """Draw a matrix as coloured cells, with the numbers in them while they fit (up to 8 by 8).

    Args:
        values: (n, m) real; row i belongs to rows[i], column j to columns[j].

    Raises:
        ValueError: the names do not fit the shape of the values.
    """
    values = np.asarray(values, dtype=float)
    if values.shape != (len(rows), len(columns)):
        raise ValueError(f"{len(rows)} rows and {len(columns)} columns named for {values.shape}")
    n, m = values.shape
    if ax is None:
        _, ax = plt.subplots(figsize=(1.5 + 0.7 * m, 1.2 + 0.6 * n))
    mesh = ax.pcolormesh(values, cmap="viridis", edgecolors="face", linewidth=0.5)
    ax.invert_yaxis()
    ax.set_xticks(np.arange(m) + 0.5, columns)
    ax.set_yticks(np.arange(n) + 0.5, rows)
    ax.xaxis.set_label_position("top")
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set(xlabel=column_label, ylabel=row_label, title=title)
    if max(n, m) <= 8:
        for (i, j), value in np.ndenumerate(values):
            red, green, blue, _ = mesh.to_rgba(value)
            light = 0.3 * red + 0.6 * green + 0.1 * blue > 0.5
            colour = "black" if light else "white"
            ax.text(j + 0.5, i + 0.5, fmt.format(value), ha="center", va="center", color=colour)
    return ax.figure, ax
