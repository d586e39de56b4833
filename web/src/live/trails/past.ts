// What the service has recorded from before the page was opened: the trails of all aircraft and the range outline begin
// with it, where it is offered.
import { preferences } from "../../core/preferences";
import { call } from "../../session/api";
import { dataFile } from "../../session/data";
import type { Order } from "../messages";

export class Past {
  private hasOutline = false;
  private isOutlined = false;
  /** One question after the other: the map's own go first. */
  private asking: Promise<void> = Promise.resolve();

  constructor(private readonly send: (order: Order) => void) {}

  /** Whether there is an outline. */
  offer(hasOutline: boolean): void {
    this.hasOutline = hasOutline;
    this.isOutlined = false;
    this.follow();
  }

  /** Fetch what the reader's choice needs and is not here yet. */
  follow(): void {
    if (!this.hasOutline || this.isOutlined || !preferences.value.overlays.includes("outline")) return;
    this.isOutlined = true;
    void this.outline();
  }

  private async outline(): Promise<void> {
    const file = await dataFile<{ actualRange?: { last24h?: { points?: number[][] } } }>("outline.json");
    const points = file?.actualRange?.last24h?.points;
    if (points?.length) this.send({ type: "outline", points });
  }

  /** Fetch the trails of these aircraft, which begin on the map. */
  trails(run: number, hexes: string[]): Promise<void> {
    return (this.asking = this.asking.then(async () => {
      const since_s = preferences.value.allTrails * 60;
      if (!since_s) return;
      try {
        const { trails } = await call("GET aircraft/trails", { query: { icao_hex: hexes.join(","), since_s } });
        this.send({ type: "past", run, hexes, trails });
      } catch {
        this.send({ type: "past", run, hexes, trails: [] }); // They go on from where they are now.
      }
    }));
  }
}
