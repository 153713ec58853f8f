// Filters the ledger's rows by verdict, chapter and words. Without this script all rows are there.
// The choice stands in the address, so that a link can lead to it: ?verdict=wrong&chapter=masking
document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector("table.ledger");
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const of = (row, prefix) => [...row.classList].find((name) => name.startsWith(prefix)).slice(prefix.length);
  const chosen = new URLSearchParams(location.search);

  const form = document.createElement("form");
  form.className = "ledger-filter";
  form.addEventListener("submit", (event) => event.preventDefault());

  function labelled(text, control) {
    const label = document.createElement("label");
    label.append(text, " ", control);
    form.append(label);
    return control;
  }

  function select(text, name, prefix, cell, part) {
    const words = new Map(rows.map((row) => [of(row, prefix), row.cells[cell].querySelector(part).textContent]));
    const order = [...table.classList];
    const place = ([value]) => order.indexOf(prefix + value);
    const options = [...words].sort((one, other) => place(one) - place(other));
    const control = document.createElement("select");
    control.name = name;
    control.add(new Option("all", ""));
    for (const [value, word] of options) control.add(new Option(word, value));
    control.value = words.has(chosen.get(name)) ? chosen.get(name) : "";
    return labelled(text, control);
  }

  const verdict = select("Verdict", "verdict", "claim-", 2, ".claim-verdict");
  const chapter = select("Chapter", "chapter", "of-", 0, "a:last-of-type");
  const words = document.createElement("input");
  words.type = "search";
  words.name = "words";
  words.value = chosen.get("words") ?? "";
  labelled("Words", words);
  const count = document.createElement("output");
  form.append(count);

  function filter() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !(
        (!verdict.value || of(row, "claim-") === verdict.value) &&
        (!chapter.value || of(row, "of-") === chapter.value) &&
        wanted.every((word) => text.includes(word))
      );
      shown += !row.hidden;
    }
    count.value = `${shown} of ${rows.length} claims`;
    const query = new URLSearchParams(
      [verdict, chapter, words].filter((control) => control.value).map((control) => [control.name, control.value]),
    );
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
  }

  form.addEventListener("input", filter);
  table.before(form);
  filter();
});
