// The menu of versions: the folders that ../versions.json lists, next to the one that is shown. Without that file, or when
// the page is opened from a disk, there is no menu.
const item = document.getElementById("versions");
const list = new URL(item.dataset.list, location.href);

fetch(list).then((answer) => (answer.ok ? answer.json() : [])).then((versions) => {
  const root = new URL(".", list).pathname;
  const [shown, ...page] = location.pathname.slice(root.length).split("/");
  const menu = item.querySelector("select");
  for (const { version, aliases } of versions) {
    const label = aliases.includes("latest") ? `${version} (newest)` : version;
    menu.add(new Option(label, version, version === shown, version === shown));
  }
  item.hidden = versions.length === 0;
  menu.addEventListener("change", async () => {
    // The same page of the other version, or its front page where it has no such page.
    const same = new URL(`${menu.value}/${page.join("/")}`, list);
    const answer = await fetch(same, { method: "HEAD" });
    location.assign(answer.ok ? same : new URL(`${menu.value}/`, list));
  });
}).catch(() => {});
