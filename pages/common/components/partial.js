// The next token by a server that tells only the most probable ones: after the sampler each probability lies between two
// bounds. What they are is computed in Python, each time that a dial is let go.
const track = (row, scale) =>
  h("span", { class: "track" },
    h("span", { class: row.cut ? "bar cut" : "bar possible", style: `width:${share(row.cut ? row.before : row.high, scale)}` }),
    row.cut ? null : h("span", { class: "bar after", style: `width:${share(row.low, scale)}` }),
    h("span", { class: "bar before", style: `width:${share(row.before, scale)}` }));

const rowOf = (row, rank, scale) =>
  h("div", { class: `${row.cut ? "is-cut" : ""} ${row.picked ? "is-picked" : ""}` },
    h("span", { class: "rank number small" }, rank),
    h("span", { class: "token", title: row.title }, marked(row.name)),
    track(row, scale), h("span", { class: "percent number" }, row.label), h("span", { class: "reason small" }, row.reason));

const tailOf = (tail, scale) =>
  h("div", { class: `tail ${tail.cut ? "is-cut" : ""} ${(tail.cut ? tail.before : tail.high) > scale || tail.before > scale ? "beyond" : ""}` },
    h("span", { class: "name small" }, tail.name), track(tail, scale),
    h("span", { class: "percent number" }, tail.label), h("span", { class: "reason small" }, tail.reason));

const legend = () =>
  h("div", { class: "legend small" },
    h("span", {}, h("i", { class: "before" }), "model, T = 1"),
    h("span", {}, h("i", { class: "after" }), "after the sampler, at least"),
    h("span", {}, h("i", { class: "possible" }), "at most"),
    h("span", {}, h("i", { class: "cut" }), "cut"));

const pictureOf = ({ source, note, rows, tail, scale, badge }) => [
  h("div", { class: "told small" }, h("span", { class: `badge ${badge}` }, badge), h("span", {}, source), note ? h("b", {}, note) : null),
  legend(),
  h("div", { class: "bars" }, rows.map((row, index) => rowOf(row, index + 1, scale)), tail && tailOf(tail, scale))];

const labs = new WeakMap();

const makeLab = () => {
  const lab = {
    set(change) {
      lab.settings = { ...lab.settings, ...change };
      lab.dials.follow(lab.settings, []);
    },
    report() { lab.setStateValue("settings", lab.settings); },
  };
  return lab;
};

export default function ({ data, parentElement, setStateValue }) {
  const root = rootOf(parentElement, "partial");
  const lab = labs.get(root) ?? makeLab();
  lab.data = data;
  lab.setStateValue = setStateValue;
  if (!labs.has(root)) {
    labs.set(root, lab);
    root.classList.add("beside-dials");
    lab.picture = h("div", { class: "picture" });
    lab.known = h("div", { class: "known" });
    lab.dials = dialsOf(lab, lab.known);
    root.append(lab.picture, lab.dials.element);
  }
  if (lab.revision !== data.revision) {
    lab.revision = data.revision;
    lab.settings = data.settings;
    lab.dials.follow(lab.settings, []);
  }
  lab.picture.replaceChildren(...pictureOf(data.view));
  lab.known.replaceChildren(h("div", { class: "small" }, data.view.known), h("b", {}, data.view.pick));
}
