// Makes an element. Strings among the children become text nodes, so data is never read as markup.
const h = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};

// A component is called again with every change of its data: its root stays, and so does what is on it.
const rootOf = (parent, name) => {
  let root = [...parent.children].find((child) => child.classList.contains(name));
  if (!root) {
    root = h("div", { class: name });
    parent.append(root);
  }
  return root;
};

// Keys belong to the page, except while somebody types.
const typing = (event) => {
  const target = event.composedPath()[0];
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target.type !== "range";
};

// A closed select box keeps the focus after a choice; the page's keys are meant for the page then.
const takesKeys = (event) => typing(event) && event.composedPath()[0].getAttribute("aria-expanded") !== "false";

// Shown text with the signs for white space in a paler ink. `visible` in core writes these signs for nothing else.
const marked = (text) =>
  text.split(/([·↵⇥]+)/).filter(Boolean).map((piece) => /^[·↵⇥]/.test(piece) ? h("span", { class: "pale" }, piece) : piece);

// What does not change keeps its elements, and with them the focus.
const renew = (place, key, children) => {
  if (place.key === key) return;
  place.key = key;
  place.replaceChildren(...children());
};

// Text and attributes that stay as they were are not written again: each writing would have the page laid out anew. A
// text node stays as well, and takes the new text.
const say = (element, text) => {
  const node = element.firstChild;
  if (node?.nodeType !== Node.TEXT_NODE || node.nextSibling) element.replaceChildren(text);
  else if (node.data !== text) node.data = text;
};
const sayMarked = (element, text) => {
  if (element.key === text) return;
  element.key = text;
  const pieces = marked(text);
  if (pieces.length === 1 && pieces[0] === text) say(element, text);
  else element.replaceChildren(...pieces);
};
const entitle = (element, title) => {
  if (element.title !== title) element.title = title;
};
const hide = (element, hidden) => {
  if (element.hidden !== hidden) element.hidden = hidden;
};
const dress = (element, classes) => {
  if (element.className !== classes) element.className = classes;
};

// Brings the number of children to `count`, and returns them.
const counted = (parent, count, make) => {
  while (parent.children.length > count) parent.lastChild.remove();
  while (parent.children.length < count) parent.append(make());
  return [...parent.children];
};

// What listened before, under this name, does so no more: a component is called again without being told to clean up.
const listensAnew = (root, name = "listening") => {
  root[name]?.abort();
  root[name] = new AbortController();
  return root[name];
};

// PageDown and PageUp are the lesson's while its bar is unfolded, whoever began to listen first.
const forLesson = (event) => /^Page(Down|Up)$/.test(event.key) && document.documentElement.hasAttribute("data-lesson");

// A key that is meant for the page: nobody types, and no Ctrl, Alt or Meta makes it the browser's.
const forPage = (event) => !(event.ctrlKey || event.altKey || event.metaKey || takesKeys(event) || forLesson(event));

// Counts presses of some keys, before Streamlit hears them: of two that come while it runs it makes one. What is
// reported grows, so that nothing is lost where a report overtakes another; `by` tells this visit from the next.
const countsPresses = (root, keys, report) => {
  root.presses ??= { by: Math.random().toString(36), count: 0 };
  const { signal } = listensAnew(root, "pressing");
  window.addEventListener("keydown", (event) => {
    if (!keys.includes(event.key.toLowerCase()) || event.shiftKey || event.repeat || !forPage(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    root.presses.count += 1;
    report({ ...root.presses });
  }, { capture: true, signal });
};
