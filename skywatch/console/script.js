// What the console's pages can do better with script: the colours chosen in the web application, and times by the reader's
// clock. All of it is there without, in the colours of the system and in UTC.
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

  const theme = chosenTheme();
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  addEventListener("DOMContentLoaded", () => {
    showTimes();
    if (document.querySelector("time[datetime]")) setInterval(showTimes, EVERY_MS);
  });
})();
