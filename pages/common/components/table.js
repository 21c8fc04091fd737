// A plain table of text.
export default function ({ data, parentElement }) {
  rootOf(parentElement, "table").replaceChildren(
    h("table", {},
      h("thead", {}, h("tr", {}, data.columns.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, data.rows.map((row) => h("tr", {}, row.map((cell) => h("td", {}, cell)))))));
}
