// The lesson rail. It says where it wants to be, with a number that grows: presses may come faster than the screens.
const LESSON_KEYS = { PageDown: 1, PageUp: -1 };

// Says to the screen, which may have begun to listen before, whose the keys are.
const takeKeys = (mine) => document.documentElement.toggleAttribute("data-lesson", mine);

// What is done and guessed is kept in this browser, for the next session; a browser can forbid that.
const KEPT_AS = "loopscope lessons";
const keptOf = (edition) => {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS));
    return kept.edition === edition ? { done: [...kept.done], guesses: { ...kept.guesses }, forgot: kept.forgot } : {};
  } catch {
    return {};
  }
};
const keep = (root, { edition, done, guesses, forget }) => {
  const was = keptOf(edition);
  const forgets = forget && forget !== was.forgot;
  if (forgets) root.guesses = {};
  const kept = {
    edition, forgot: forget || was.forgot,
    done: [...new Set([...(forgets ? [] : was.done ?? []), ...done])],
    guesses: { ...(forgets ? {} : was.guesses), ...guesses },
  };
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(kept));
  } catch { /* not kept */ }
  root.done = new Set(kept.done);
  root.guesses = { ...kept.guesses, ...root.guesses };
  return kept;
};

// A report runs the script once more: not before it has run, since the first run reads the address.
const onceIdle = (root, act) => {
  const app = document.querySelector("[data-testid='stApp']");
  const tellIfIdle = () => {
    if (app && app.getAttribute("data-test-script-state") !== "notRunning") return;
    root.idling.disconnect();
    if (root.isConnected) act();
  };
  root.idling = new MutationObserver(tellIfIdle);
  if (app) root.idling.observe(app, { attributes: true });
  tellIfIdle();
};

export default function ({ data, parentElement, setStateValue }) {
  const root = rootOf(parentElement, "lesson");
  root.guesses ??= {};
  root.hands ??= {};
  const kept = keep(root, data);
  if (!root.told && (kept.done.some((key) => !data.done.includes(key)) || Object.keys(kept.guesses).some((key) => !(key in data.guesses)))) {
    root.told = true;
    onceIdle(root, () => setStateValue("kept", { edition: kept.edition, done: kept.done, guesses: kept.guesses }));
  }
  root.hidden = !!data.off;
  if (data.off) {
    root.drawn = root.place = undefined;
    root.sent = data.sent;
    root.replaceChildren();
    listensAnew(root).abort();
    takeKeys(false);
    return;
  }
  const key = `${data.lesson}.${data.at}`;
  const news = root.sent === undefined || data.sent >= root.sent;
  if (news) {
    root.place = { lesson: data.lesson, at: data.at, shown: data.shown };
    root.sent = data.sent;
  }
  root.guesses[key] ??= data.guess;
  root.tell = (place) => setStateValue("place", place);
  root.classList.toggle("waiting", !news);

  const go = (place) => {
    root.sent += 1;
    root.place = place;
    root.classList.add("waiting");
    root.tell({ ...place, sent: root.sent, guesses: { ...root.guesses } });
  };
  const move = (by) => {
    const { lesson, at, shown } = root.place;
    if (by > 0 && !shown) go({ lesson, at, shown: true });
    else if (by > 0 && at < data.steps.length) go({ lesson, at: at + 1, shown: false });
    else if (by < 0 && shown) go({ lesson, at, shown: false });
    else if (by < 0 && at > 1) go({ lesson, at: at - 1, shown: true });
  };
  const leave = () => {
    root.sent += 1;
    root.tell({ leave: true, sent: root.sent });
  };

  const guess = (text) => {
    root.guesses[key] = root.guesses[key] === text && data.form === "choice" ? "" : text;
    if (data.form === "choice") draw();
  };
  const field = () => h("input", {
    type: "text", class: "guess", size: "9", inputmode: data.form === "number" ? "decimal" : "text", value: root.guesses[key],
    "aria-label": data.form === "number" ? `your guess, ${data.unit || "a number"}` : "your guess, a token", placeholder: "your guess",
    oninput: (event) => guess(event.target.value), onkeydown: (event) => { if (event.key === "Enter") move(1); },
  });

  // Hands are counted here alone: a number for each option, and its share of all as a bar.
  const hands = root.hands[key] ??= data.options.map(() => 0);
  const option = (text, index) => {
    const all = hands.reduce((sum, one) => sum + one, 0);
    const right = data.shown && data.answer?.index === index;
    const mine = root.guesses[key] === String(index);
    return h("span", { class: "option" },
      h("button", {
        type: "button", class: `pick ${right ? "right" : ""} ${mine ? "mine" : ""} ${data.shown && !data.computing && mine && !right ? "wrong" : ""}`,
        "aria-pressed": String(mine), disabled: data.shown, onclick: () => guess(String(index)),
        style: all ? `--share: ${100 * hands[index] / all}%` : null,
      }, text, right ? h("span", { class: "mark", "aria-label": "computed" }, " ✓") : null),
      root.counting ? h("input", {
        type: "number", min: "0", max: "999", class: "hands", value: String(hands[index]), "aria-label": `hands for ${text}`,
        onchange: (event) => { hands[index] = Math.max(0, Number(event.target.value) || 0); draw(); },
      }) : null);
  };

  const asked = () => {
    if (data.form === "choice") {
      return h("div", { class: "options" }, data.options.map(option),
        data.computing ? h("span", { class: "told" }, "computing …") : null,
        data.answer?.index === null ? h("span", { class: "told computed" }, "computed ", h("b", {}, data.answer.text)) : null,
        h("button", { type: "button", class: "count small", title: "Count a show of hands", "aria-pressed": String(!!root.counting), onclick: () => { root.counting = !root.counting; draw(); } }, "hands"));
    }
    if (!data.shown) return h("div", { class: "options" }, field(), data.unit ? h("span", { class: "small" }, data.unit) : null);
    return h("div", { class: "options" },
      data.guess ? h("span", { class: `told ${data.right === null ? "" : data.right ? "right" : "wrong"}` }, "guess ", h("b", {}, data.guess)) : null,
      h("span", { class: "told computed" }, data.computing ? "computing …" : ["computed ", h("b", { class: data.form === "token" ? "token" : "" }, data.answer ? data.answer.text : "–")]));
  };

  const draw = () => {
    const last = data.at === data.steps.length && data.shown;
    const again = () => go({ ...root.place });
    const head = h("div", { class: "head small" },
      h("b", { title: data.objective }, `Lesson ${data.lesson}`), h("span", { class: "title" }, data.title),
      h("span", { class: "dots", "aria-label": `step ${data.at} of ${data.steps.length}` }, data.steps.map((screen, index) =>
        h("button", {
          type: "button", class: `${root.done.has(`${data.lesson}.${index + 1}`) ? "done" : ""} ${index + 1 === data.at ? "now" : ""}`, title: `Step ${index + 1}: ${screen}`,
          "aria-label": `step ${index + 1}`, onclick: () => go({ lesson: data.lesson, at: index + 1, shown: false }),
        }))),
      h("button", { type: "button", class: "again", title: "The screen as this step sets it", onclick: again }, data.here ? data.screen : `back to ${data.screen}`));
    const fold = h("button", {
      type: "button", class: "fold", title: root.folded ? "Unfold the lesson" : "Fold: the keys are the screen's", "aria-expanded": String(!root.folded),
      onclick: () => { root.folded = !root.folded; draw(); },
    }, root.folded ? "▾" : "▴");
    const close = h("button", { type: "button", class: "close", title: "Leave the lesson", "aria-label": "leave the lesson", onclick: leave }, "×");
    root.classList.toggle("folded", !!root.folded);
    takeKeys(!root.folded);
    if (root.folded) {
      root.replaceChildren(head, h("div", { class: "corner" }, fold, close));
      return;
    }
    const next = last
      ? h("button", { type: "button", class: "next", onclick: leave }, "Done")
      : h("button", { type: "button", class: "next", title: `${data.shown ? "Next step" : "Reveal"} (PageDown)`, "aria-keyshortcuts": "PageDown", onclick: () => move(1) },
        data.shown ? "Next" : "Reveal", h("kbd", { "aria-hidden": "true" }, "PgDn"));
    root.replaceChildren(
      h("div", { class: "text" }, head, h("p", { "aria-live": "polite" }, data.shown ? data.why : data.look)),
      h("div", { class: "question" }, h("p", { class: "ask" }, data.ask), asked()),
      next, h("div", { class: "corner" }, close, fold));
  };
  // What did not change stays: a button that is being pressed must not be put away.
  const of = JSON.stringify([data, [...root.done]]);
  if (root.drawn !== of) draw();
  root.drawn = of;

  // Before the page hears the key: a screen has its own use for it.
  const listening = listensAnew(root);
  window.addEventListener("keydown", (event) => {
    const by = LESSON_KEYS[event.key];
    if (!by || !root.isConnected || root.folded || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (takesKeys(event) && !event.composedPath().includes(root)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    move(by);
  }, { capture: true, signal: listening.signal });
  return () => listening.abort();
}
