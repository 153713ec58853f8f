// Turn and stretch an arrow a beside a flat arrow b: projection, dot product, cosine.
// Input: the angle in degrees, and the lengths of a and b.
interactive.figure("projection", (figure, input) => {
  "use strict";
  const { svg, text, line, rect, arrow, number } = interactive;
  const LONGEST = 4;
  const UNIT = 40; // of the arrows
  const BAR = 19; // of the bars
  const [X, Y] = [180, 175]; // where the arrows start
  const drawing = figure.drawing(360, 325);
  const length = (value) => value.toFixed(1);
  const angle = figure.slider({
    label: "angle of a",
    min: 0,
    max: 180,
    step: 5,
    value: input.angle,
    text: (value) => `${value}°`,
  });
  const a = figure.slider({
    label: "length of a",
    min: 0,
    max: LONGEST,
    step: 0.2,
    value: input.a,
    text: length,
  });
  const b = figure.slider({
    label: "length of b",
    min: 0.5,
    max: 2,
    step: 0.1,
    value: input.b,
    text: length,
  });

  function bar(row, name, value, color) {
    const y = 215 + 38 * row;
    const end = X + BAR * value;
    return svg(
      "g",
      {},
      text(10, y + 5, name),
      rect(Math.min(X, end), y + 10, Math.abs(end - X), 9, `${color} full`),
      text(350, y + 5, number(value), { "text-anchor": "end" }),
    );
  }

  figure.run(() => {
    const turned = (angle.value * Math.PI) / 180;
    const cosine = Math.cos(turned);
    const projection = a.value * cosine;
    const product = projection * b.value;
    const [tipX, tipY] = [X + UNIT * projection, Y - UNIT * a.value * Math.sin(turned)];
    const handle = svg("circle", { cx: tipX, cy: tipY, r: 22, class: "handle" });
    drawing.replaceChildren(
      line(10, Y, 350, Y, "faint"),
      line(tipX, tipY, tipX, Y, "dotted"),
      rect(Math.min(X, tipX), Y + 5, Math.abs(tipX - X), 6, "c3 full"),
      arrow(X, Y, X + UNIT * b.value, Y, "c2"),
      arrow(X, Y, tipX, tipY, "c1"),
      text(X + UNIT * b.value - 4, Y - 9, "b"),
      text(tipX + 8 * cosine, tipY - 8, "a", { "text-anchor": "middle" }),
      line(X, 215, X, 315, "faint"),
      bar(0, "projection", projection, "c3"),
      bar(1, "dot product", product, "c4"),
      bar(2, "cosine", cosine, "c5"),
      handle,
    );
    return (
      `At ${angle.value}° the projection of a on b is ${number(projection)}. The dot product is ` +
      `${number(projection)} × ${length(b.value)} = ${number(product)}, ` +
      `the cosine ${number(cosine)}.` +
      (Math.abs(cosine) < 1e-9
        ? " At a right angle all three are 0, however long the arrows are."
        : "") +
      (cosine < -1e-9 ? " Beyond the right angle all three are below 0." : "")
    );
  });

  // The tip can be dragged too. The handle is drawn anew with each move, so the drawing listens.
  let dragged = false;
  drawing.addEventListener("pointerdown", (event) => {
    dragged = event.target.classList.contains("handle");
    if (dragged) drawing.setPointerCapture(event.pointerId);
  });
  drawing.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      drawing.getScreenCTM().inverse(),
    );
    const [x, y] = [(at.x - X) / UNIT, Math.max(0, (Y - at.y) / UNIT)];
    angle.value = (Math.atan2(y, x) * 180) / Math.PI;
    a.value = Math.hypot(x, y);
    figure.change();
  });
  for (const end of ["pointerup", "pointercancel"])
    drawing.addEventListener(end, () => {
      dragged = false;
    });
});
