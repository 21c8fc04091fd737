// One question at once, with a chain and after the right steps: a column of layers for each pass, and the token that it gave.
const chip = ({ text, number, answer, wrong }) =>
  h("span", { class: `chip ${answer ? "answer" : ""} ${wrong ? "wrong" : ""}`, title: `out of pass ${number}` },
    h("span", { class: "token" }, marked(text)), h("sub", {}, number));

const columns = ({ passes, found }, layers) =>
  h("div", { class: "passes", role: "img", "aria-label": `${passes} passes of ${layers} layers` },
    Array.from({ length: passes }, (_, index) => h("i", { class: found && index === passes - 1 ? "last" : null })));

const exemplarOf = ({ form, parts }, before, open) =>
  h("details", { class: "exemplar small", open }, h("summary", {}, `after ${before} exemplars in the prompt ${form}`),
    h("dl", {}, parts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", { class: "mono" }, text)])));

const sideOf = (side, layers, exemplar, before, open) =>
  h("section", { class: "side", "data-found": side.found },
    h("h3", {}, side.title, h("span", { class: "said" }, side.said),
      side.verdict ? h("span", { class: `verdict ${side.right ? "yes" : "no"}` }, `${side.right ? "✓" : "✗"} ${side.verdict}`) : null),
    exemplar ? exemplarOf(exemplar, before, open) : h("p", { class: "small" }, "given: ", h("span", { class: "mono" }, side.given)),
    h("div", { class: "depth" }, columns(side, layers), h("span", { class: "small" }, side.chips.length ? side.depth : ""),
      h("div", { class: "written" }, side.chips.map(chip))));

const provedOf = (data) =>
  h("aside", { class: "card proved" },
    h("h3", {}, "Proved, for a fixed depth"),
    h("dl", {}, data.proved.flatMap(({ tokens, reach, source, link }) => [
      h("dt", {}, `${tokens}`),
      h("dd", {}, reach, h("cite", { class: "small" }, `${source}, ${link}`))])),
    h("p", { class: "small" }, "At the left: how many intermediate tokens; n is the length of the input."),
    h("p", {}, h("b", {}, data.path)),
    h("p", { class: "small" }, data.scratchpad));

export default function ({ data, parentElement }) {
  const root = rootOf(parentElement, "thought");
  root.dataset.done = data.sides.every((side) => side.found);
  renew(root, JSON.stringify(data), () => [
    h("div", { class: "beside" },
      h("div", { class: "both" },
        h("p", { class: "given mono" }, data.given.join(" · "), h("span", { class: "small" }, `  right: ${data.answer}`)),
        data.sides.map((side, place) => sideOf(side, data.layers, data.exemplars[place], data.exemplars_before, data.exemplars_open)),
        h("p", { class: "small" }, `A column is one forward pass, the same work for every token: ${data.layers} layers of attention heads and feed-forward, each reading the one below it, here and at earlier tokens only. Many steps in a row often exceed that depth. Its token is read by the next one: a step that is written out is a premise and is not worked out again, so the next step is cheaper. After the right steps all that is left is to read the answer off${data.sides.at(-1).right === false ? ", which this model does not manage here" : ""}.`)),
      provedOf(data))]);
}
