// The weights of given scores as the temperature moves, and as one number is added to all of them.
// Input: the scores.
interactive.figure("temperature", (figure, input) => {
  "use strict";
  const { svg, text, line, rect, number, list, softmax } = interactive;
  const HIGH = 130; // of a weight of 1
  const GROUND = 165;
  const drawing = figure.drawing(360, 205);
  // The slider moves the power of 2, so that as much of it lies below 1 as above.
  const temperatureOf = (power) => 2 ** power;
  const power = figure.slider({
    label: "temperature T",
    min: -4,
    max: 4,
    step: 0.25,
    value: 0,
    text: (value) => number(temperatureOf(value)),
  });
  const added = figure.slider({
    label: "added to every score",
    min: -5,
    max: 5,
    step: 1,
    value: 0,
    text: (value) => number(value, 0),
  });

  figure.run(() => {
    const temperature = temperatureOf(power.value);
    const scores = input.scores.map((score) => score + added.value);
    const weights = softmax(scores.map((score) => score / temperature));
    const step = 340 / weights.length;
    const even = GROUND - HIGH / weights.length;
    drawing.replaceChildren(
      line(10, even, 350, even, "dotted"),
      ...weights.map((weight, i) => {
        const x = 10 + step * (i + 0.5);
        return svg(
          "g",
          { "text-anchor": "middle" },
          rect(x - 0.3 * step, GROUND - HIGH * weight, 0.6 * step, HIGH * weight, "c1 full"),
          text(x, GROUND - HIGH * weight - 7, number(weight)),
          text(x, GROUND + 19, number(scores[i], 0)),
        );
      }),
      line(10, GROUND, 350, GROUND, "faint"),
      text(180, GROUND + 37, "score; the dotted line: all weights alike", {
        "text-anchor": "middle",
      }),
    );
    const [first, second] = [...input.scores].sort((u, v) => v - u);
    const ratio = Math.exp((first - second) / temperature);
    return (
      `At T = ${number(temperature)} the scores ${list(scores, 0)} get ` +
      `the weights ${list(weights)}. ` +
      `The largest weight is ${ratio < 1000 ? number(ratio) : "more than 1000"} times the next.`
    );
  });
});
