// A mask to fill in: which query may look at which key. The weights follow, and so does a verdict.
// Input: the words (a padding is written <pad>) and a table of scores.
interactive.figure("mask", (figure, input) => {
  "use strict";
  const { html, number, softmax } = interactive;
  const { words, scores } = input;
  const n = words.length;
  const isWord = words.map((word) => word !== "<pad>");
  // What each task allows: query i, key j.
  const TASKS = {
    "look at no later word": (i, j) => j <= i,
    "look at no padding": (i, j) => isWord[j],
    "look at no later word and no padding": (i, j) => j <= i && isWord[j],
  };
  const open = words.map(() => words.map(() => true));
  const setAll = (to) => open.forEach((row) => row.fill(to));

  const task = figure.select("Task:", Object.keys(TASKS));
  const cells = open.map((row) =>
    row.map((_, j) =>
      figure.button("", () => {
        row[j] = !row[j];
      }),
    ),
  );
  figure.stage.append(
    html(
      "table",
      { class: "interactive-mask" },
      html(
        "thead",
        {},
        html("tr", {}, html("td"), html("th", { colspan: n }, "key")),
        html(
          "tr",
          {},
          html("th", {}, "query"),
          ...words.map((word) => html("th", { scope: "col" }, word)),
        ),
      ),
      html(
        "tbody",
        {},
        ...words.map((word, i) =>
          html(
            "tr",
            {},
            html("th", { scope: "row" }, word),
            ...cells[i].map((cell) => html("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
  figure.buttons({ "Open all": () => setAll(true), "Close all": () => setAll(false) });

  const pair = ([i, j]) => `${words[i]} for ${words[j]}`;

  /** The first few of some places, and how many more there are. */
  function some(places) {
    const named = places.slice(0, 2).map(pair).join(", ");
    return places.length > 2 ? `${named} and ${places.length - 2} more` : named;
  }

  figure.run(() => {
    const allowed = TASKS[task.value];
    const [leaks, lost, blind, rightlyBlind] = [[], [], [], []];
    open.forEach((row, i) => {
      const weights = softmax(row.map((may, j) => (may ? scores[i][j] : -Infinity)));
      row.forEach((may, j) => {
        const cell = cells[i][j];
        cell.textContent = may ? number(weights[j]) : row.includes(true) ? "×" : "0/0";
        cell.setAttribute("aria-pressed", may);
        cell.setAttribute(
          "aria-label",
          `${words[i]} looks at ${words[j]}: ${may ? cell.textContent : "closed"}`,
        );
        if (may && !allowed(i, j)) leaks.push([i, j]);
        if (!may && allowed(i, j)) lost.push([i, j]);
      });
      if (row.includes(true)) return;
      (words.some((_, j) => allowed(i, j)) ? blind : rightlyBlind).push(`${i + 1} (${words[i]})`);
    });
    const found = [];
    if (leaks.length) {
      const [[i, j]] = leaks;
      const why =
        !isWord[j] && task.value.includes("padding") ? "which is padding" : "which comes later";
      found.push(
        `Leaks: ${words[i]} gives ${cells[i][j].textContent} of its weight ` +
          `to ${words[j]}, ${why}.` +
          (leaks.length > 1 ? ` ${leaks.length - 1} more such places are open.` : ""),
      );
    }
    if (lost.length) found.push(`Closed without need: ${some(lost)}.`);
    if (blind.length) {
      const see = blind.length > 1 ? `Queries ${blind.join(", ")} see` : `Query ${blind[0]} sees`;
      found.push(`${see} nothing: all powers in the row are 0, and the weights 0/0.`);
    }
    if (!leaks.length && !lost.length)
      found.push(`Right: all ${n * n} places are as the task wants them.`);
    if (rightlyBlind.length) {
      found.push(
        `Query ${rightlyBlind.join(", ")} may see nothing. ` +
          `Its weights 0/0 need a rule, such as zeros.`,
      );
    }
    return found.join(" ");
  });
});
