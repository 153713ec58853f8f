// Rotary positions: each pair of features of a query and of a key is a hand, turned by its place.
// Input: query and key before turning, two numbers for each pair, and the base of the speeds.
interactive.figure("rotation", (figure, input) => {
  "use strict";
  const { svg, text, arrow, number, list, sum, dot } = interactive;
  const pairsOf = (vector) =>
    Array.from({ length: vector.length / 2 }, (_, i) => vector.slice(2 * i, 2 * i + 2));
  const [queries, keys] = [pairsOf(input.query), pairsOf(input.key)];
  const speeds = queries.map((_, i) => input.base ** (-i / queries.length));
  const R = 62; // of a dial
  const longest = Math.max(...[...queries, ...keys].map((pair) => Math.hypot(...pair)));
  const drawing = figure.drawing(360, 415);
  const place = figure.slider({ label: "place of the query", min: 0, max: 100, step: 1, value: 0 });
  const offset = figure.slider({
    label: "key comes later by",
    min: -10,
    max: 10,
    step: 1,
    value: 2,
    text: (value) => number(value, 0),
  });

  const turn = ([x, y], angle) => [
    x * Math.cos(angle) - y * Math.sin(angle),
    x * Math.sin(angle) + y * Math.cos(angle),
  ];

  figure.run(() => {
    const keyPlace = place.value + offset.value;
    const turned = speeds.map((speed, i) => [
      turn(queries[i], speed * place.value),
      turn(keys[i], speed * keyPlace),
    ]);
    const products = turned.map(([query, key]) => dot(query, key));
    drawing.replaceChildren(
      ...turned.map((hands, i) => {
        const [x, y] = [95 + 170 * (i % 2), 90 + 200 * Math.floor(i / 2)];
        return svg(
          "g",
          { "text-anchor": "middle" },
          svg("circle", { cx: x, cy: y, r: R, class: "faint" }),
          ...hands.map(([u, v], j) =>
            arrow(x, y, x + (R * u) / longest, y - (R * v) / longest, j ? "c2" : "c1"),
          ),
          text(x, y - R - 10, `${number(speeds[i], 3)} rad a place`),
          text(x, y + R + 20, `product ${number(products[i])}`),
        );
      }),
      arrow(60, 405, 85, 405, "c1"),
      text(92, 410, "query"),
      arrow(200, 405, 225, 405, "c2"),
      text(232, 410, "key"),
    );
    return (
      `Query at ${place.value}, key at ${number(keyPlace, 0)}: the pairs have the products ` +
      `${list(products)}. Their sum, the score before it is divided, ` +
      `is ${number(sum(products), 3)}.`
    );
  });
});
