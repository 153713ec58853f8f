// Which numbers a head gets, if each word is cut and if a table is reshaped.
// Input: how many words, and how many features each has.
interactive.figure("heads", (figure, input) => {
  "use strict";
  const { html } = interactive;
  const { features } = input;
  const LETTERS = "abcdefgh";
  const divisors = Array.from({ length: features }, (_, i) => i + 1).filter(
    (h) => features % h === 0,
  );
  const [all, sides] = [html("div"), html("div", { class: "interactive-sides" })];
  figure.stage.append(all, sides);
  const n = figure.slider({ label: "words", min: 1, max: 5, step: 1, value: input.words });
  const heads = figure.slider({
    label: "heads",
    min: 0,
    max: divisors.length - 1,
    step: 1,
    value: divisors.indexOf(2),
    text: (i) => `${divisors[i]}`,
  });
  const shown = figure.slider({ label: "head shown", min: 1, max: 2, step: 1, value: 1 });

  function grid(title, rows, isPicked = () => false) {
    const cell = ([word, feature]) =>
      html(
        "td",
        { class: `c${word + 1} interactive-cell${isPicked(feature) ? " picked" : ""}` },
        html("span", {}, `${LETTERS[word]}${feature + 1}`),
      );
    const body = html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map(cell))));
    return html("table", {}, html("caption", {}, title), body);
  }

  /** A list of numbers as rows of so many. */
  const cut = (flat, width) =>
    Array.from({ length: flat.length / width }, (_, i) => flat.slice(i * width, (i + 1) * width));

  figure.run(() => {
    const h = divisors[heads.value];
    shown.max = h;
    const head = shown.value - 1;
    const width = features / h;
    const X = Array.from({ length: n.value }, (_, word) =>
      Array.from({ length: features }, (_, feature) => [word, feature]),
    );
    const isPicked = (feature) => Math.floor(feature / width) === head;
    const right = X.map((row) => row.filter(([, feature]) => isPicked(feature)));
    // A reshape reads all numbers in one line and starts a new row whenever the last is full.
    const wrong = cut(cut(X.flat(), n.value * width)[head], width);
    all.replaceChildren(grid(`${n.value} words of ${features} features`, X, isPicked));
    sides.replaceChildren(grid("each word cut", right), grid("reshape alone", wrong));
    const misplaced = wrong
      .flat()
      .filter((number, i) => number.join() !== right.flat()[i].join()).length;
    const met = [...new Set(wrong.flat().map(([word]) => word))];
    const missed = X.map((_, word) => word)
      .filter((word) => !met.includes(word))
      .map((word) => LETTERS[word]);
    const range =
      width === 1 ? `feature ${head + 1}` : `features ${head * width + 1} to ${(head + 1) * width}`;
    return (
      `Head ${head + 1} of ${h} should get ${range} of every word. ` +
      `By reshape alone, ${misplaced} of its ` +
      `${n.value * width} numbers are not the ones it should have there` +
      (missed.length ? `, and it never meets ${missed.join(" and ")}.` : ".")
    );
  });
});
