// The softmax of one query over blocks of keys: the highest score, two sums, and how they shrink.
// Input: scores and values, a number for each key, and how many keys make a block.
interactive.figure("blocks", (figure, input) => {
  "use strict";
  const { svg, text, line, rect, number, sum, dot, softmax } = interactive;
  const { scores, values } = input;
  const n = scores.length;
  const HIGH = 100; // of a power of 1
  const GROUND = 125;
  const drawing = figure.drawing(360, 180);
  const size = figure.slider({
    label: "keys in a block",
    min: 1,
    max: n,
    step: 1,
    value: input.block,
  });
  const forget = figure.checkbox("forget to shrink the old sums");
  let read = 0; // blocks
  figure.buttons({
    "Next block": () => {
      read += 1;
    },
    "Start again": () => {
      read = 0;
    },
  });

  /** What is kept after so many blocks, and what the last of them did. */
  function keptAfter(blocks) {
    let kept = { highest: -Infinity, bars: [], total: 0, weighted: 0 };
    let shrink = 1;
    for (let start = 0; start < Math.min(blocks * size.value, n); start += size.value) {
      const block = scores.slice(start, start + size.value);
      const highest = Math.max(kept.highest, ...block);
      const powers = block.map((score) => Math.exp(score - highest));
      shrink = Math.exp(kept.highest - highest); // 0 for the first block: there is nothing yet
      const factor = forget.checked ? 1 : shrink;
      kept = {
        highest,
        bars: [...kept.bars.map((bar) => factor * bar), ...powers],
        total: factor * kept.total + sum(powers),
        weighted: factor * kept.weighted + dot(powers, values.slice(start, start + size.value)),
      };
    }
    return { ...kept, shrink };
  }

  function describe(blocks, before, now) {
    const block = size.value === 1 ? `Key ${blocks}` : `Block ${blocks}`;
    const output = number(now.weighted / now.total, 3);
    const sums = `ℓ = ${number(now.total)}, o = ${number(now.weighted)}, output o/ℓ = ${output}.`;
    if (blocks === 1) return `${block} read: m = ${number(now.highest, 1)}, ${sums}`;
    if (now.shrink === 1) {
      const stays = `m stays ${number(now.highest, 1)} and nothing shrinks`;
      return `${block} read: no higher score, ${stays}. ${sums}`;
    }
    const done = forget.checked ? "should shrink" : "shrink";
    return (
      `${block} read: m rises from ${number(before.highest, 1)} to ${number(now.highest, 1)}, ` +
      `and the old sums ${done} to ${number(now.shrink)} of what they were. ${sums}`
    );
  }

  figure.run(() => {
    const blocks = Math.ceil(n / size.value);
    read = Math.min(read, blocks);
    const now = keptAfter(read);
    const step = 340 / n;
    drawing.replaceChildren(
      ...scores.map((score, i) => {
        const x = 10 + step * (i + 0.5);
        const high = HIGH * (now.bars[i] ?? 0);
        const newest = i >= (read - 1) * size.value;
        return svg(
          "g",
          { "text-anchor": "middle" },
          rect(x - 0.35 * step, GROUND - high, 0.7 * step, high, `${newest ? "c1" : "c3"} full`),
          text(x, GROUND + 18, number(score, 1), { style: "font-size: 12px" }),
        );
      }),
      ...Array.from({ length: blocks - 1 }, (_, i) => {
        const x = 10 + step * (i + 1) * size.value;
        return line(x, 15, x, GROUND + 4, "dotted");
      }),
      line(10, GROUND, 350, GROUND, "faint"),
      text(180, GROUND + 42, "score s of each key; bars: eˢ⁻ᵐ", { "text-anchor": "middle" }),
    );
    if (read === 0) {
      const come = blocks === 1 ? "one block" : `${blocks} blocks`;
      return `Nothing is read yet. The ${n} keys come in ${come}.`;
    }
    const said = describe(read, keptAfter(read - 1), now);
    if (read < blocks) return said;
    const once = dot(softmax(scores), values);
    const off = Math.abs(now.weighted / now.total - once);
    return (
      `${said} All keys at once give ${number(once, 3)}: ` +
      (off < 5e-4 ? "the same." : `off by ${number(off, 3)}.`)
    );
  });
});
