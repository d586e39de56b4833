// The names next to the icons of the navigation give way one by one as the room shrinks.

/** Widths of a link (px): with its name, and with its icon alone. */
export interface Widths {
  named: number;
  bare: number;
}

/**
 * Which links (by their place) lose their names, so that all fit into `room` pixels: the last ones first, that of the open
 * page at last. Null where not even the icons fit.
 */
export function folded(links: Widths[], open: number, room: number): Set<number> | null {
  let width = links.reduce((sum, { named }) => sum + named, 0);
  const without = new Set<number>();
  const order = [...links.keys()].filter((at) => at !== open).reverse();
  if (open >= 0) order.push(open);
  for (const at of order) {
    if (width <= room) break;
    width -= links[at].named - links[at].bare;
    without.add(at);
  }
  return width <= room ? without : null;
}

/** Fits the links of a navigation into its width, whenever that or their names change. */
export class Folding {
  private nav: HTMLElement | null = null;
  private names = "";
  private links: Widths[] = [];
  private readonly resized = new ResizeObserver(() => this.fit());

  constructor() {
    document.fonts.addEventListener("loadingdone", () => this.measure());
  }

  /** The navigation was drawn. */
  update(nav: HTMLElement | null): void {
    const names = nav?.textContent ?? "";
    if (nav !== this.nav) {
      this.resized.disconnect();
      this.nav = nav;
      if (nav) this.resized.observe(nav.parentElement!);
    }
    if (names === this.names) return this.fit();
    this.names = names;
    this.measure();
  }

  private get all(): HTMLElement[] {
    return [...(this.nav?.querySelectorAll<HTMLElement>("a") ?? [])];
  }

  private widths(areNamed: boolean): number[] {
    for (const link of this.all) link.toggleAttribute("data-bare", !areNamed);
    return this.all.map((link) => link.getBoundingClientRect().width);
  }

  private measure(): void {
    this.nav?.parentElement?.classList.remove("folded");
    const named = this.widths(true);
    const bare = this.widths(false);
    this.links = named.map((width, at) => ({ named: width, bare: bare[at] }));
    this.fit();
  }

  private fit(): void {
    const { nav, all } = this;
    const head = nav?.parentElement;
    if (!nav || !head) return;
    head.classList.remove("folded");
    if (!nav.checkVisibility()) return; // A phone has a bar of its own.
    if (this.links.some(({ named }) => named === 0)) return this.measure();
    const without = folded(
      this.links,
      all.findIndex((link) => link.ariaCurrent === "page"),
      nav.clientWidth,
    );
    all.forEach((link, at) => link.toggleAttribute("data-bare", without === null || without.has(at)));
    head.classList.toggle("folded", without === null);
  }
}
