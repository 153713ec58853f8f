"""The figures that a reader moves: by keyboard in a browser, and their numbers beside NumPy's.

They get inputs of their own here, drawn at random, so that a number which a program does not
compute cannot be right.
"""

import json
import re
import shutil
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

BOOK = Path(__file__).parents[1] / "book"
PROGRAMS = {path.stem for path in (BOOK / "_static/interactive").glob("*.js")} - {"figure"}

rng = np.random.default_rng(20)
n = 4
INPUT = {
    "projection": {"angle": 40, "a": 2.4, "b": 1.5},
    "temperature": {"scores": rng.permutation([3, 1, 0, -2, -3]).tolist()},
    "mask": {
        "words": ["<pad>", "who", "goes", "there"],
        "scores": rng.normal(size=(n, n)).tolist(),
    },
    "blocks": {
        "scores": rng.normal(scale=2, size=10).round(1).tolist(),
        "values": rng.integers(1, 10, size=10).tolist(),
        "block": 4,
    },
    "rotation": {
        "query": rng.normal(size=6).tolist(),
        "key": rng.normal(size=6).tolist(),
        "base": 500,
    },
    "shuffle": {
        "words": ["who", "goes", "over", "there"],
        "X": rng.normal(size=(n, 3)).tolist(),
        "W_Q": rng.normal(size=(3, 2)).tolist(),
        "W_K": rng.normal(size=(3, 2)).tolist(),
        "W_V": rng.normal(size=(3, 2)).tolist(),
        "places": rng.normal(size=(n, 3)).tolist(),
    },
    "heads": {"words": 3, "features": 8},
}
BLOCK = """\
```{{interactive}} {name}
:alt: What is seen of {name}.
:input: {given}

In words: {name}.
```
"""


def build(folder: Path, text: str, theme: str = "basic") -> tuple[Path, str]:
    """A book of one page, without its cells: the page, and what Sphinx warned of."""
    source = folder / "source"
    shutil.copytree(BOOK / "_static/interactive", source / "_static/interactive")
    (source / "index.md").write_text(f"# A page\n\n{text}")
    warnings = StringIO()
    settings = {
        "extensions": ["myst_parser", "interactive"],
        "html_theme": theme,
        "html_static_path": ["_static"],
    }
    # Sphinx keeps what it registers for the process; the next page starts anew.
    with patch_docutils(), docutils_namespace():
        Sphinx(
            source, None, folder / "html", folder / "trees", "html", settings, StringIO(), warnings
        ).build()
    return folder / "html/index.html", warnings.getvalue()


@pytest.fixture(scope="module", autouse=True)
def extension() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BOOK / "_ext")
        yield


def site_in(theme: str, folder: Path) -> str:
    """The address of a page with every figure."""
    blocks = [BLOCK.format(name=name, given=json.dumps(given)) for name, given in INPUT.items()]
    page, warnings = build(folder, "\n".join(blocks), theme)
    assert warnings == ""
    return page.as_uri()


@pytest.fixture(scope="module")
def site(extension, tmp_path_factory) -> str:
    """A page that is soon loaded."""
    return site_in("basic", tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def themed(extension, tmp_path_factory) -> str:
    """A page as the book's look."""
    return site_in("sphinx_book_theme", tmp_path_factory.mktemp("themed"))


def open_page(browser: Browser, site: str, **settings) -> Page:
    page = browser.new_page(**settings)
    # The theme asks others for a script or two; a figure asks nobody.
    page.route(re.compile("^https?:"), lambda route: route.abort())
    page.goto(site)
    return page


@pytest.fixture
def page(browser: Browser, site: str) -> Iterator[Page]:
    page = open_page(browser, site)
    yield page
    errors = page.page_errors()
    page.close()
    assert errors == []


@pytest.fixture
def figure(page: Page, request: pytest.FixtureRequest) -> Locator:
    """The figure that the test is named after."""
    name = request.function.__name__.removeprefix("test_").split("_")[0]
    return page.locator(f"[data-interactive={name}]")


def numbers(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


def said(figure: Locator) -> str:
    return figure.locator("[aria-live=polite]").inner_text()


def press(figure: Locator, label: str, *keys: str) -> None:
    """Press keys in a control that is found as a screen reader names it."""
    control = figure.get_by_label(label)
    control.focus()
    for key in keys:
        control.press(key)


def push(figure: Locator, name: str | re.Pattern, key: str = "Enter") -> None:
    button = figure.get_by_role("button", name=name)
    button.focus()
    button.press(key)


def softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def near(expected, digits: int = 2):
    """Numbers as the page rounds them."""
    return pytest.approx(np.ravel(expected).tolist(), abs=0.51 * 10**-digits)


# ---- the numbers


@pytest.mark.parametrize(
    ("keys", "angle", "a", "b"),
    [
        ([], 40, 2.4, 1.5),
        ([("length of b", "ArrowRight", "ArrowRight")], 40, 2.4, 1.7),
        ([("angle of a", "End", "ArrowLeft"), ("length of a", "ArrowLeft")], 175, 2.2, 1.5),
        ([("angle of a", *["ArrowRight"] * 10), ("length of b", "End")], 90, 2.4, 2.0),
    ],
)
def test_projection(figure: Locator, keys: list, angle: float, a: float, b: float):
    for label, *pressed in keys:
        press(figure, label, *pressed)
    of_a = a * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    of_b = np.array([b, 0])
    projection = of_a @ of_b / b
    cosine = of_a @ of_b / (a * b)
    shown = numbers(said(figure))
    assert shown[:6] == near([angle, projection, projection, b, of_a @ of_b, cosine])
    assert ("right angle" in said(figure)) == (angle >= 90)
    texts = figure.locator("svg text").all_text_contents()
    assert numbers(" ".join(texts)) == near([projection, of_a @ of_b, cosine])


def test_projection_follows_a_dragged_tip(figure: Locator, page: Page):
    drawing, handle = (figure.locator(part).bounding_box() for part in ("svg", ".handle"))
    assert drawing
    assert handle
    unit = drawing["width"] / 360
    page.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    page.mouse.down()
    # Straight up from where the arrows start, three long.
    page.mouse.move(drawing["x"] + 180 * unit, drawing["y"] + (175 - 3 * 40) * unit, steps=3)
    page.mouse.up()
    assert figure.get_by_label("angle of a").input_value() == "90"
    assert figure.get_by_label("length of a").input_value() == "3"
    page.mouse.move(drawing["x"], drawing["y"])
    assert "At 90°" in said(figure)


@pytest.mark.parametrize(("power", "added"), [(0, 0), (-2, 0), (-4, 3), (4, -5), (0.75, 1)])
def test_temperature(figure: Locator, power: float, added: int):
    step = 0.25
    for label, steps in (("temperature T", int(power / step)), ("added to every score", added)):
        press(figure, label, *["ArrowRight" if steps > 0 else "ArrowLeft"] * abs(steps))
    scores = np.array(INPUT["temperature"]["scores"])
    weights = softmax(scores / 2.0**power)
    first, second = np.sort(weights)[:-3:-1]
    shown = numbers(said(figure))
    assert shown[: 1 + 2 * len(scores)] == near([2.0**power, *(scores + added), *weights])
    if first / second < 1000:
        assert shown[-1] == pytest.approx(first / second, abs=0.0051)
    else:
        assert "more than 1000 times" in said(figure)


def weights_shown(figure: Locator) -> np.ndarray:
    """The weights in a mask's cells; 0 where it is closed."""
    texts = [cell.inner_text() for cell in figure.locator("td button").all()]
    shown = [0.0 if text == "×" else np.nan if text == "0/0" else float(text) for text in texts]
    return np.reshape(shown, (n, n))


def test_mask(figure: Locator):
    words, scores = INPUT["mask"]["words"], np.array(INPUT["mask"]["scores"])
    at = np.arange(n)
    later, padding = at[:, None] < at, np.tile(at == 0, (n, 1))

    def toggle(i: int, j: int) -> None:
        push(figure, re.compile(f"^{words[i]} looks at {words[j]}"), "Space")

    assert weights_shown(figure).ravel().tolist() == near(softmax(scores))
    for hidden in (later, padding, later | padding):
        push(figure, "Open all")
        left = int(hidden.sum())
        for i, j in np.argwhere(hidden):
            assert "Leaks:" in said(figure)
            if left > 1:
                assert f"{left - 1} more" in said(figure)
            toggle(i, j)
            left -= 1
        with np.errstate(invalid="ignore"):
            expected = [
                softmax(row) if np.isfinite(row).any() else np.full(n, np.nan)
                for row in np.where(hidden, -np.inf, scores)
            ]
        assert np.allclose(weights_shown(figure), expected, atol=0.0051, equal_nan=True)
        assert said(figure).startswith(f"Right: all {n * n} places")
        assert ("Query 1 (<pad>) may see nothing" in said(figure)) == hidden[0].all()
        press(figure, "Task:", "ArrowDown")


def test_mask_says_what_is_wrong(figure: Locator):
    push(figure, "Close all")
    assert "Closed without need: <pad> for <pad>, who for <pad> and 8 more." in said(figure)
    assert "Queries 1 (<pad>), 2 (who), 3 (goes), 4 (there) see nothing" in said(figure)
    assert np.isnan(weights_shown(figure)).all()
    push(figure, re.compile("^who looks at there"))
    assert "Leaks: who gives 1.00 of its weight to there, which comes later." in said(figure)
    press(figure, "Task:", "ArrowDown")
    assert "Leaks" not in said(figure)
    push(figure, re.compile("^there looks at <pad>"))
    assert "Leaks: there gives 1.00 of its weight to <pad>, which is padding." in said(figure)


@pytest.mark.parametrize("size", [1, 3, 4, 10])
@pytest.mark.parametrize("forget", [False, True])
def test_blocks(figure: Locator, size: int, forget: bool):
    scores, values = (np.array(INPUT["blocks"][name]) for name in ("scores", "values"))
    press(figure, "keys in a block", "Home", *["ArrowRight"] * (size - 1))
    if forget:
        press(figure, "forget to shrink the old sums", "Space")
    highest, total, weighted = -np.inf, 0.0, 0.0
    for start in range(0, len(scores), size):
        push(figure, "Next block")
        block = slice(start, start + size)
        before, highest = highest, max(highest, scores[block].max())
        factor = np.exp(before - highest)
        powers = np.exp(scores[block] - highest)
        kept = 1 if forget else factor
        total = kept * total + powers.sum()
        weighted = kept * weighted + powers @ values[block]
        text = said(figure)
        sums = re.search(r"ℓ = (\S+), o = (\S+), output o/ℓ = (\d+\.\d+)", text)
        assert sums
        assert [float(found) for found in sums.groups()[:2]] == near([total, weighted])
        assert float(sums[3]) == pytest.approx(weighted / total, abs=0.00051)
        if start and factor < 1:
            rise = re.search(r"m rises from (\S+) to (\S+), .* shrink to (\S+) of", text)
            assert rise
            assert numbers(" ".join(rise.groups())) == near([before, highest, factor])
        assert (f"m stays {highest:.1f}".replace("-", "−") in text) == (start > 0 and factor == 1)
    once = softmax(scores) @ values
    assert f"All keys at once give {once:.3f}: " in text
    assert ("the same." in text) == bool(abs(weighted / total - once) < 5e-4)
    # A button too often does no harm; the first one begins anew.
    push(figure, "Next block")
    assert said(figure) == text
    push(figure, "Start again")
    assert said(figure).startswith("Nothing is read yet")


def test_blocks_forgotten_is_wrong(figure: Locator):
    press(figure, "forget to shrink the old sums", "Space")
    texts = []
    for _ in range(3):
        push(figure, "Next block")
        texts.append(said(figure))
    assert any("the old sums should shrink" in text for text in texts)
    assert "off by" in texts[-1]


@pytest.mark.parametrize(("place", "offset"), [(0, 2), (7, 2), (100, 2), (3, -4)])
def test_rotation(figure: Locator, place: int, offset: int):
    keys = ["End"] if place == 100 else ["ArrowRight"] * place
    press(figure, "place of the query", *keys)
    press(figure, "key comes later by", *["ArrowLeft"] * (2 - offset))
    query, key = (np.array(INPUT["rotation"][name]) for name in ("query", "key"))
    speeds = INPUT["rotation"]["base"] ** (-np.arange(3) / 3)

    def turned(vector: np.ndarray, at: int) -> np.ndarray:
        return (vector[::2] + 1j * vector[1::2]) * np.exp(1j * speeds * at)

    products = (turned(query, place) * turned(key, place + offset).conj()).real
    shown = numbers(said(figure))
    assert shown[:2] == [place, place + offset]
    assert shown[2:5] == near(products)
    assert shown[5] == pytest.approx(products.sum(), abs=0.00051)


@pytest.mark.parametrize("placed", [False, True])
def test_shuffle(figure: Locator, placed: bool):
    given = {name: np.array(value) for name, value in INPUT["shuffle"].items()}
    words = given["words"].tolist()
    if placed:
        press(figure, "add to each word a vector for its place", "Space")

    def attend(order: list[int]) -> tuple[np.ndarray, np.ndarray]:
        X = given["X"][order] + placed * given["places"]
        Q, K, V = X @ given["W_Q"], X @ given["W_K"], X @ given["W_V"]
        weights = softmax(Q @ K.T / np.sqrt(2))
        return weights, weights @ V

    order = [0, 1, 2, 3]
    assert "first order" in said(figure)
    for first in (1, 3, 2):
        push(figure, f"Swap {first} and {first + 1}")
        order[first - 1 : first + 1] = reversed(order[first - 1 : first + 1])
        weights, output = attend(order)
        rows = figure.locator("tbody tr").all_inner_texts()
        assert [row.split()[0] for row in rows] == [words[i] for i in order]
        assert numbers(" ".join(rows)) == near(np.hstack([weights, output]))
        change = np.abs(output - attend([0, 1, 2, 3])[1][order]).max()
        assert numbers(said(figure)) == near([change])
        assert (change > 0.01) == placed
        assert ("the place counts" in said(figure)) == placed
    push(figure, "Put back")
    assert "first order" in said(figure)


@pytest.mark.parametrize(
    ("words", "heads", "head"), [(3, 2, 1), (3, 2, 2), (5, 4, 3), (1, 8, 5), (4, 1, 1)]
)
def test_heads(figure: Locator, words: int, heads: int, head: int):
    press(figure, "words", "Home", *["ArrowRight"] * (words - 1))
    press(figure, "heads", "Home", *["ArrowRight"] * [1, 2, 4, 8].index(heads))
    press(figure, "head shown", "Home", *["ArrowRight"] * (head - 1))
    X = np.array([[f"{letter}{i}" for i in range(1, 9)] for letter in "abcde"[:words]])
    right = np.hsplit(X, heads)[head - 1]
    wrong = X.reshape(heads, words, 8 // heads)[head - 1]
    tables = [text.split() for text in figure.locator("tbody").all_inner_texts()]
    assert tables == [part.ravel().tolist() for part in (X, right, wrong)]
    missed = sorted({name[0] for name in X.flat} - {name[0] for name in wrong.flat})
    shown = numbers(said(figure))
    assert shown[:2] == [head, heads]
    assert shown[-2:] == [(right != wrong).sum(), right.size]
    assert ("never meets " + " and ".join(missed) in said(figure)) == bool(missed)
    assert (right == wrong).all() == (words == 1 or heads == 1)


# ---- the frame


def test_every_program_is_tested_and_in_the_book():
    used = re.findall(
        r"^```\{interactive\} (\S+)$", "\n".join(p.read_text() for p in BOOK.glob("*.md")), re.M
    )
    assert sorted(used) == sorted(PROGRAMS) == sorted(INPUT)


def test_every_control_has_a_name_and_is_reached_by_tab(page: Page):
    controls = page.locator(".interactive :is(input, button, select)")
    page.locator(".interactive :is(input, button, select)").first.focus()
    reached = 1
    while page.evaluate("document.activeElement.closest('.interactive') !== null"):
        page.keyboard.press("Tab")
        reached += 1
    assert reached - 1 == controls.count()
    for control in controls.all():
        named = control.evaluate(
            "node => node.ariaLabel || node.textContent && node.tagName === 'BUTTON' || "
            "[...node.labels].map(label => label.textContent).join()"
        )
        assert named
    for figure in page.locator(".interactive").all():
        assert figure.get_attribute("aria-label", timeout=100).startswith("What is seen of")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_every_figure_fits_and_its_text_can_be_read(
    browser: Browser, themed: str, width: int, theme: str
):
    page = open_page(browser, themed, viewport={"width": width, "height": 800})
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for figure in page.locator(".interactive").all():
        assert figure.evaluate("node => node.scrollWidth <= node.clientWidth")
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts["text"]) > 50
    assert min(contrasts["text"]) >= 4.5
    assert len(contrasts["shapes"]) > 20
    assert min(contrasts["shapes"]) >= 3
    page.close()


# The contrast of every text, and of every coloured shape, with what is behind it.
CONTRASTS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const over = (colors) => {
    for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255);
  };
  const behind = (node) => {
    const colors = [];
    for (; node; node = node.parentElement) colors.unshift(getComputedStyle(node).backgroundColor);
    return colors;
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (node, color) => {
    const pair = [over(behind(node)), over([...behind(node), color])].map(luminance);
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  };
  const found = {text: [], shapes: []};
  for (const node of document.querySelectorAll(".interactive-live *")) {
    const style = getComputedStyle(node);
    if (node.matches(".full, line:is(.c1, .c2, .c3, .c4, .c5)")) {
      found.shapes.push(contrast(node, style.color));
    } else if ([...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) {
      found.text.push(contrast(node, node.matches("text") ? style.fill : style.color));
    }
  }
  return found;
}"""


def test_without_a_program_the_words_are_read(browser: Browser, themed: str):
    still = open_page(browser, themed, java_script_enabled=False)
    assert still.locator(".interactive-still:visible").count() == len(INPUT)
    assert still.locator(".interactive-live").count() == 0
    still.close()
    moving = open_page(browser, themed)
    assert moving.locator(".interactive-still:visible").count() == 0
    moving.emulate_media(media="print")
    assert moving.locator(".interactive-still:visible").count() == len(INPUT)
    assert moving.locator(".interactive-live:visible").count() == 0
    moving.close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("} temperature", "} humidity"), "no interactive figure is named 'humidity'"),
        ((":alt: What is seen of temperature.\n", ""), "needs :alt:"),
        (("In words: temperature.\n", ""), "Content block expected"),
        (("[", "{"), ":input: is not JSON"),
    ],
)
def test_an_unfit_figure_is_a_warning(tmp_path: Path, change: tuple[str, str], message: str):
    given = json.dumps(INPUT["temperature"])
    block = BLOCK.format(name="temperature", given=given).replace(*change)
    _, warnings = build(tmp_path, block)
    assert message in warnings


def test_a_page_without_figures_loads_nothing(tmp_path: Path):
    page, _ = build(tmp_path, "Words.")
    assert "interactive/" not in page.read_text()
