// The same prompt and seed without the mask and with it: what they have in common, and where they part.
const chipsTo = (names, common) =>
  names.map((name, place) => h("span", { class: `piece ${place === common ? "parting" : place > common ? "after-parting" : ""}` }, h("span", { class: "token" }, marked(name))));

const lane = (title, names, common, verdict) =>
  h("section", { class: "lane card" }, h("b", {}, title),
    h("div", { class: "pieces" }, chipsTo(names, common)), h("div", { class: "verdict", role: "status" }, marked(verdict)));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = rootOf(parentElement, "beside");
  renew(root, JSON.stringify(data), () => [
    h("div", { class: "small" }, "After ", h("span", { class: "token" }, marked(data.prompt.tokens.join(""))), " with the same numbers u, so that only the mask makes them part."),
    h("div", { class: "big" }, data.parting || "Not parted so far."),
    h("div", { class: "lanes" },
      lane("Free", data.free, data.common, data.free_verdict), lane("Masked", data.masked, data.common, data.masked_verdict)),
  ]);
  root.dataset.tokens = data.masked.length;
  return stepping(root, (act) => setTriggerValue("act", act));
}
