// Self-attention over words that change places: the rows of the output move with them.
// Input: words, X with a row for each, W_Q, W_K, W_V, and a table with a row for each place.
interactive.figure("shuffle", (figure, input) => {
  "use strict";
  const { html, number, softmax, dot } = interactive;
  const { words, X, W_Q, W_K, W_V, places } = input;
  const columns = (W) => W[0].map((_, j) => W.map((row) => row[j]));
  const times = (A, B) => A.map((row) => columns(B).map((column) => dot(row, column)));

  function attend(rows) {
    const [Q, K, V] = [W_Q, W_K, W_V].map((W) => times(rows, W));
    const weights = Q.map((q) => softmax(K.map((k) => dot(q, k) / Math.sqrt(q.length))));
    return { weights, output: times(weights, V) };
  }

  let order = words.map((_, i) => i);
  const swap = (i) => () => {
    [order[i], order[i + 1]] = [order[i + 1], order[i]];
  };
  const table = html("table");
  figure.stage.append(table);
  const moves = {};
  words.slice(1).forEach((_, i) => {
    moves[`Swap ${i + 1} and ${i + 2}`] = swap(i);
  });
  figure.buttons({
    ...moves,
    "Put back": () => {
      order = words.map((_, i) => i);
    },
  });
  const placed = figure.checkbox("add to each word a vector for its place");

  const read = (rank) =>
    attend(rank.map((word, i) => X[word].map((x, j) => x + (placed.checked ? places[i][j] : 0))));

  figure.run(() => {
    const { weights, output } = read(order);
    const first = read(words.map((_, i) => i)).output;
    const change = Math.max(
      ...order.flatMap((word, i) => output[i].map((x, j) => Math.abs(x - first[word][j]))),
    );
    const named = order.map((word) => words[word]);
    table.replaceChildren(
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          html("td"),
          html("th", { colspan: words.length }, "weight on"),
          html("th", { colspan: output[0].length }, "output"),
        ),
        html(
          "tr",
          {},
          html("td"),
          ...named.map((word) => html("th", { scope: "col" }, word)),
          ...output[0].map((_, j) => html("th", { scope: "col" }, `${j + 1}`)),
        ),
      ),
      html(
        "tbody",
        {},
        ...order.map((word, i) =>
          html(
            "tr",
            { class: `c${word + 1}` },
            html("th", { scope: "row" }, words[word]),
            ...weights[i].map((weight) =>
              html("td", { class: "shade", style: `--share: ${weight}` }, number(weight)),
            ),
            ...output[i].map((x) => html("td", { class: "interactive-output" }, number(x))),
          ),
        ),
      ),
    );
    const said = `The words stand as: ${named.join(" ")}.`;
    if (order.every((word, i) => word === i)) return `${said} This is the first order.`;
    return (
      `${said} The largest change of a word's output since the first order is ${number(change)}: ` +
      (placed.checked ? "the place counts." : "the rows have moved with their words.")
    );
  });
});
