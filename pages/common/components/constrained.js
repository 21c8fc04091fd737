// One text under a mask: the tokens so far, the mass that the mask removes here, and the tokens before and after it.
const rowOf = (row) =>
  h("div", { class: `row ${row.forbidden ? "forbidden" : ""} ${row.drawn ? "taken" : ""}` },
    h("span", { class: "number small" }, row.rank + 1),
    h("span", { class: `token ${row.forbidden ? "struck" : ""}` }, marked(row.name)),
    h("span", { class: "track" },
      h("i", { class: "bar after", style: wide(row.engine) }), h("i", { class: `bar before ${row.forbidden ? "gone" : ""}`, style: wide(row.model) }),
      row.lecture > 0 ? h("i", { class: "tick", style: `left:${(100 * row.lecture).toFixed(3)}%` }) : null),
    h("span", { class: "number" }, row.labels[0]),
    h("span", { class: "small" }, "→"),
    h("span", { class: "number percent" }, row.labels[2]),
    h("span", { class: "small note" }, row.drawn ? "drawn" : row.refused ? "refused" : row.forbidden ? "forbidden" : ""));

const restOf = (rest) =>
  h("div", { class: "row tail" }, h("span", { class: "small name" }, rest.name),
    h("span", { class: "track" }, h("i", { class: "bar after", style: wide(rest.engine) }), h("i", { class: "bar before", style: wide(rest.model) })),
    h("span", { class: "number" }, rest.labels[0]), h("span", { class: "small" }, "→"), h("span", { class: "number percent" }, rest.labels[1]),
    h("span", { class: "small note" }, rest.note));

const massOf = (removed) =>
  h("div", { class: "mass", role: "img", "aria-label": "probability that is left, and that the mask removes" },
    h("i", { class: "after", style: wide(1 - removed) }), h("i", { class: "gone", style: wide(removed) }));

const stepOf = ({ step, moral, text }) => [
  h("div", { class: "what" }, h("span", { class: "small" }, step.title), h("b", { class: "token" }, marked(step.token)),
    step.forced ? h("span", { class: "bad" }, step.forced) : null, h("span", { class: "big removed" }, step.removed)),
  massOf(step.removed_mass),
  h("div", { class: "small key" }, swatch("before", "P of the model"), swatch("before gone", "forbidden"), swatch("tick", "P′ of the lecture: the mask alone"),
    swatch("after", "how the engine draws")),
  h("div", { class: "rows" }, step.rows.map(rowOf), step.rest ? restOf(step.rest) : null),
  h("div", { class: "small said" }, sentences([step.draws, step.may_end, step.method, step.difference])),
  h("div", { class: "end", role: "status" }, step.ending ? h("div", {}, step.ending) : null, text.verdict ? h("div", { class: text.conforms ? "good" : "" }, text.verdict) : null,
    moral ? h("div", { class: "big" }, moral) : null),
];

const stages = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "constrained");
  if (!stages.has(root)) {
    const stage = { count: h("div", { class: "small count" }), reading: h("div", { class: "small reading" }), step: h("div", { class: "step" }) };
    stage.chips = chipsOf({
      choose: (position) => stage.act({ do: "choose", position }),
      read: (title) => { stage.reading.textContent = title ?? "Ink: how probable the model held the token, before the mask. A dashed frame: forced."; },
    });
    stages.set(root, stage);
    root.append(stage.chips.element, h("div", { class: "head" }, stage.reading, stage.count), stage.step);
  }
  const stage = stages.get(root);
  stage.act = (act) => setTriggerValue("act", act);
  const chips = data.text.chips.map(({ name, mark, share, title }) => ({ text: name, title, kind: mark === "forced" ? "hand" : mark, share }));
  stage.chips.show({ chips, cycle: null }, { prompt: data.prompt, colour: "share", chosen: data.position });
  if (!root.querySelector(".chips button:hover")) stage.reading.textContent = "Ink: how probable the model held the token, before the mask. A dashed frame: forced.";
  stage.count.textContent = data.text.summary;
  renew(stage.step, JSON.stringify([data.step, data.moral, data.text.verdict]), () => stepOf(data));
  root.dataset.tokens = chips.length; // for whoever waits for it
  return stepping(root, stage.act);
}
