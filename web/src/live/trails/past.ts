// What the service has recorded from before the page was opened: the trails of all aircraft and the range outline begin
// with it, where it is offered.
import { preferences } from "../../core/preferences";
import { dataFile, dataText } from "../../session/data";
import type { Order } from "../messages";

/** The service keeps a picture every so many seconds. */
const EVERY_S = 30;
/** Requests at once: the map's own go first. */
const AT_ONCE = 3;

export class Past {
  private pictures = 0;
  private hasOutline = false;
  private isOutlined = false;
  private span = 0;

  constructor(private readonly send: (order: Order) => void) {}

  /** How many pictures are offered, and whether there is an outline. */
  offer(pictures: number, hasOutline: boolean): void {
    this.pictures = pictures;
    this.hasOutline = hasOutline;
    this.isOutlined = false;
    this.span = 0;
    this.follow();
  }

  /** Fetch what the reader's choice needs and is not here yet. */
  follow(): void {
    const { allTrails, overlays } = preferences.value;
    if (this.hasOutline && !this.isOutlined && overlays.includes("outline")) {
      this.isOutlined = true;
      void this.outline();
    }
    if (allTrails !== this.span && this.pictures) {
      const isFirst = this.span === 0;
      this.span = allTrails;
      if (isFirst && allTrails) void this.trails(Math.min(this.pictures, Math.ceil((allTrails * 60) / EVERY_S)));
    }
  }

  private async outline(): Promise<void> {
    const file = await dataFile<{ actualRange?: { last24h?: { points?: number[][] } } }>("outline.json");
    const points = file?.actualRange?.last24h?.points;
    if (points?.length) this.send({ type: "outline", points });
  }

  /** The newest pictures, which have the lowest numbers. */
  private async trails(count: number): Promise<void> {
    const texts: string[] = [];
    for (let number = 0; number < count; number += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - number) }, (_, at) =>
        dataText(`history_${number + at}.json`),
      );
      texts.push(...(await Promise.all(some)).filter((text) => text !== null));
    }
    this.send({ type: "past", pictures: texts.reverse() });
  }
}
