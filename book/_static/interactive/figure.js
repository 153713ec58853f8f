// What the interactive figures share: elements, controls, and the sentence that says the state.
//
//   interactive.figure("name", (figure, input) => {
//     const angle = figure.slider({label: "angle", min: 0, max: 90, step: 5, value: 30});
//     figure.run(() => { …draw…; return "a sentence with the numbers"; });
//   });
//
// The function given to `run` is called at first and after every change.
window.interactive = (() => {
  "use strict";

  function make(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== false)
        node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children);
    return node;
  }
  const html = (tag, attributes = {}, ...children) =>
    make(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    make(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  // ---- shapes

  const text = (x, y, words, attributes = {}) => svg("text", { x, y, ...attributes }, words);
  const line = (x1, y1, x2, y2, name) => svg("line", { x1, y1, x2, y2, class: name });
  const rect = (x, y, width, height, name) => svg("rect", { x, y, width, height, class: name });

  /** An arrow with a filled tip; a dot if it has no length. */
  function arrow(x1, y1, x2, y2, name) {
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 0.5) return svg("circle", { cx: x1, cy: y1, r: 4, class: `${name} full` });
    const tip = Math.min(11, length);
    const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [bx, by] = [x2 - tip * ux, y2 - tip * uy];
    const side = 0.45 * tip;
    const [sx, sy] = [-side * uy, side * ux];
    const points = `${x2},${y2} ${bx + sx},${by + sy} ${bx - sx},${by - sy}`;
    return svg(
      "g",
      {},
      line(x1, y1, bx, by, name),
      svg("polygon", { points, class: `${name} full` }),
    );
  }

  // ---- numbers

  /** A number as the page's text writes it: fixed digits, a real minus, no minus before zero. */
  function number(value, digits = 2) {
    const written = value.toFixed(digits);
    return Number(written) === 0 ? (0).toFixed(digits) : written.replace("-", "−");
  }
  const list = (values, digits = 2) => values.map((value) => number(value, digits)).join(", ");
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const dot = (u, v) => sum(u.map((value, i) => value * v[i]));

  /** The softmax of one row. A score of −∞ gets no weight; a row of nothing else gives NaN, 0/0. */
  function softmax(scores) {
    const highest = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - highest));
    const total = sum(powers);
    return powers.map((power) => power / total);
  }

  // ---- the figure

  class Figure {
    constructor(host) {
      this.host = host;
      this.stage = html("div", { class: "interactive-stage" });
      this.controls = html("div", { class: "interactive-controls" });
      this.said = html("p", { class: "interactive-said", "aria-live": "polite" });
      this.live = html("div", { class: "interactive-live" }, this.stage, this.controls, this.said);
    }

    /** A drawing of this size in its own units; what it shows is also in the sentence. */
    drawing(width, height) {
      const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
      drawing.style.maxWidth = `${1.3 * width}px`;
      this.stage.append(drawing);
      return drawing;
    }

    /** A slider; `value` is its number, and `text` says a number in words. */
    slider({ label, min, max, step, value, text = String }) {
      const input = html("input", { type: "range", min, max, step, value, autocomplete: "off" });
      const shown = html("span", { class: "interactive-shown", "aria-hidden": "true" });
      this.controls.append(
        html(
          "div",
          { class: "interactive-slider" },
          html("label", {}, html("span", {}, label), input),
          shown,
        ),
      );
      const tell = () => {
        shown.textContent = text(Number(input.value));
        input.setAttribute("aria-valuetext", shown.textContent);
      };
      input.addEventListener("input", () => {
        tell();
        this.change();
      });
      tell();
      return {
        get value() {
          return Number(input.value);
        },
        set value(number) {
          input.value = number;
          tell();
        },
        set max(number) {
          input.max = number;
          tell();
        },
      };
    }

    checkbox(label) {
      const input = html("input", { type: "checkbox", autocomplete: "off" });
      this.controls.append(html("label", { class: "interactive-check" }, input, " ", label));
      input.addEventListener("input", () => this.change());
      return input;
    }

    select(label, options) {
      const input = html(
        "select",
        { autocomplete: "off" },
        ...options.map((name) => html("option", {}, name)),
      );
      this.controls.append(html("label", { class: "interactive-select" }, label, " ", input));
      input.addEventListener("input", () => this.change());
      return input;
    }

    /** Buttons in one row: what each is called, and what it does. */
    buttons(actions) {
      const row = html("div", { class: "interactive-buttons" });
      row.append(...Object.entries(actions).map(([label, act]) => this.button(label, act)));
      this.controls.append(row);
    }

    /** A button, not yet in its place. */
    button(label, act) {
      const button = html("button", { type: "button" }, label);
      button.addEventListener("click", () => {
        act();
        this.change();
      });
      return button;
    }

    run(update) {
      this.update = update;
      this.change();
      // Only now: where a program fails, what is read without it stays.
      this.host.append(this.live);
      this.host.classList.add("interactive-runs");
    }

    change() {
      this.said.textContent = this.update();
    }
  }

  function figure(name, build) {
    for (const host of document.querySelectorAll(`[data-interactive="${name}"]`)) {
      build(new Figure(host), JSON.parse(host.dataset.input));
    }
  }

  return { figure, html, svg, text, line, rect, arrow, number, list, sum, dot, softmax };
})();
