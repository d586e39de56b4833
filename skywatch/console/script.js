// What the console's pages can do better with script: the colours chosen in the web application, times by the reader's
// clock, the browser's position for the station, and figures that stay fresh. All of it is there without: in the colours
// of the system, in UTC, and with a link.
(() => {
  const UNITS = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const RECENT_S = 86_400;
  const EVERY_MS = 15_000;

  function chosenTheme() {
    try {
      return JSON.parse(localStorage.getItem("skywatch.preferences") ?? "{}").theme;
    } catch {
      return undefined; // Storage is switched off, or holds something else.
    }
  }

  function distance(at, format) {
    const seconds = (at - Date.now()) / 1000;
    if (Math.abs(seconds) >= RECENT_S) return "";
    const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? ["second", 1];
    return format.format(Math.trunc(seconds / size), unit);
  }

  function showTimes() {
    const language = document.documentElement.lang;
    const clock = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
    const past = new Intl.RelativeTimeFormat(language, { numeric: "always", style: "short" });
    for (const element of document.querySelectorAll("time[datetime]")) {
      const at = new Date(element.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      element.title ||= element.textContent;
      const ago = distance(at, past);
      const text = document.createElement("span");
      text.textContent = clock.format(at);
      const parts = [text];
      if (ago) {
        const note = document.createElement("span");
        note.className = "ago";
        note.textContent = ` ${ago}`;
        parts.push(note);
      }
      element.replaceChildren(...parts);
    }
  }

  // Moments are entered in UTC; what the reader's clock shows then stands next to them.
  function showLocalMoments() {
    const parts = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };
    const options = { ...parts, hourCycle: "h23", timeZoneName: "short" };
    const clock = new Intl.DateTimeFormat(document.documentElement.lang, options);
    for (const input of document.querySelectorAll("input[type=datetime-local]")) {
      const note = document.createElement("output");
      note.className = "local";
      note.htmlFor = input.id;
      const show = () => {
        const at = new Date(`${input.value}Z`);
        const isLocal = !Number.isNaN(at.getTime()) && at.getTimezoneOffset() !== 0;
        note.textContent = isLocal ? `= ${clock.format(at)}` : "";
      };
      input.after(note);
      input.addEventListener("input", show);
      show();
    }
  }

  // The station by the browser's position, and the port that belongs to a kind of receiver.
  function offerPosition() {
    const offer = document.querySelector("[data-locate]");
    if (!offer || !navigator.geolocation || !isSecureContext) return;
    const status = offer.querySelector("[role=status]");
    offer.hidden = false;
    offer.querySelector("button").addEventListener("click", () => {
      status.textContent = "";
      const take = ({ coords }) => {
        for (const [name, value] of [["lat", coords.latitude], ["lon", coords.longitude]]) {
          document.getElementById(`field-station_${name}`).value = value.toFixed(5);
        }
        document.getElementById("field-station_lat").focus();
      };
      const refuse = () => (status.textContent = offer.dataset.refused);
      navigator.geolocation.getCurrentPosition(take, refuse, { enableHighAccuracy: true, timeout: 20_000 });
    });
  }

  function proposePorts() {
    const port = document.getElementById("field-port");
    const kinds = [...document.querySelectorAll("input[data-port]")];
    if (!port || !kinds.length) return;
    const parts = [...document.querySelectorAll("[data-kind]")];
    const propose = () => {
      const chosen = kinds.find((kind) => kind.checked);
      port.placeholder = chosen?.dataset.port ?? "";
      for (const part of parts) part.hidden = part.dataset.kind !== chosen?.value;
    };
    for (const kind of kinds) kind.addEventListener("change", propose);
    propose();
  }

  // Texts that are wanted elsewhere: without a clipboard, as on pages without TLS, the text is selected and copied.
  function offerCopies() {
    for (const button of document.querySelectorAll("button[data-copy]")) {
      const source = button.previousElementSibling;
      button.hidden = false;
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(source.textContent);
        } catch {
          getSelection().selectAllChildren(source);
          if (!document.execCommand("copy")) return;
        }
        const label = button.textContent;
        button.textContent = button.dataset.done;
        setTimeout(() => (button.textContent = label), 2000);
      });
    }
  }

  // What of the page has the focus, to be found again in its successor.
  function mark(element) {
    const tag = element.tagName.toLowerCase();
    if (element.id) return `#${CSS.escape(element.id)}`;
    const address = element.getAttribute("href");
    return address ? `${tag}[href="${CSS.escape(address)}"]` : undefined;
  }

  function replaceFigures(figures, next) {
    for (const fold of figures.querySelectorAll("details[id]")) {
      const same = next.querySelector(`#${CSS.escape(fold.id)}`);
      if (same) same.open = fold.open;
    }
    const focused = figures.contains(document.activeElement) ? mark(document.activeElement) : undefined;
    figures.replaceChildren(...next.childNodes);
    if (focused) figures.querySelector(focused)?.focus({ preventScroll: true });
    showTimes();
  }

  // Nothing is replaced under a reader who selects a text.
  function isSelecting(figures) {
    const selection = getSelection();
    return !selection.isCollapsed && figures.contains(selection.anchorNode);
  }

  async function refresh(figures) {
    if (document.hidden || isSelecting(figures)) return;
    let answer;
    try {
      answer = await fetch(location.href, { headers: { "X-Skywatch-Refresh": "script" } });
    } catch {
      return; // The service does not answer; the time of the figures says how old they are.
    }
    if (answer.redirected) return location.reload(); // The session has ended: its page says so.
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById(figures.id);
    if (next && !isSelecting(figures)) replaceFigures(figures, next);
  }

  function keepFresh() {
    const figures = document.querySelector("[data-refresh]");
    if (!figures) return;
    let isAsking = false;
    const ask = async () => {
      if (isAsking) return;
      isAsking = true;
      try {
        await refresh(figures);
      } finally {
        isAsking = false;
      }
    };
    setInterval(ask, Number(figures.dataset.refresh) * 1000);
    document.addEventListener("visibilitychange", ask);
  }

  const theme = chosenTheme();
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  addEventListener("DOMContentLoaded", () => {
    showTimes();
    showLocalMoments();
    offerPosition();
    proposePorts();
    offerCopies();
    if (document.querySelector("time[datetime]")) setInterval(showTimes, EVERY_MS);
    keepFresh();
  });
})();
