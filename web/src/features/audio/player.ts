// Plays recordings one after the other. They are fetched with the session's token: an address with one could be passed on.
import { t } from "../../i18n/i18n";
import { ask } from "../../session/api";
import { faultText } from "../../session/fault";

const KEPT = 12;

export class Player {
  current: number | null = null;
  /** What is played next, in this order. */
  queue: number[] = [];
  error = "";
  isLoading = false;
  private readonly audio = new Audio();
  private readonly files = new Map<number, string>();

  constructor(private readonly changed: () => void) {
    for (const event of ["play", "pause", "seeked", "loadedmetadata"])
      this.audio.addEventListener(event, () => this.changed());
    this.audio.addEventListener("ended", () => void this.next());
    this.audio.addEventListener("timeupdate", () => this.changed());
  }

  get isPlaying(): boolean {
    return this.current !== null && !this.audio.paused && !this.audio.ended;
  }

  get at(): number {
    return this.audio.currentTime;
  }

  /** Play this one; with `from`, begin there. */
  async play(id: number, from = 0): Promise<void> {
    if (this.current === id && this.audio.src) {
      if (from) this.audio.currentTime = from;
      await this.begin();
      return;
    }
    this.audio.pause();
    Object.assign(this, { current: id, error: "", isLoading: true });
    this.changed();
    try {
      const file = await this.file(id);
      if (this.current !== id) return;
      this.audio.src = file;
      if (from) this.audio.currentTime = from;
      this.isLoading = false;
      await this.begin();
    } catch (error) {
      if (this.current !== id) return;
      this.isLoading = false;
      this.error = (error as DOMException).name === "NotAllowedError" ? t("audio.not_allowed") : faultText(error);
      this.changed();
    }
  }

  private async begin(): Promise<void> {
    try {
      await this.audio.play();
    } catch (error) {
      // Another recording was chosen before this one could begin.
      if ((error as DOMException).name !== "AbortError") throw error;
    }
    this.changed();
  }

  pause(): void {
    this.audio.pause();
  }

  seek(seconds: number): void {
    this.audio.currentTime = seconds;
    this.changed();
  }

  enqueue(ids: number[]): void {
    this.queue.push(...ids);
    if (!this.isPlaying && !this.isLoading) void this.next();
    else this.changed();
  }

  async next(): Promise<void> {
    const id = this.queue.shift();
    if (id === undefined) this.changed();
    else await this.play(id);
  }

  /** Play no more, and let go of what was fetched. */
  stop(): void {
    this.audio.pause();
    this.audio.removeAttribute("src");
    this.queue = [];
    this.current = null;
    for (const file of this.files.values()) URL.revokeObjectURL(file);
    this.files.clear();
  }

  private async file(id: number): Promise<string> {
    const url = this.files.get(id);
    if (url) return url;
    const address = URL.createObjectURL(
      await (await ask("GET audio/transmissions/{id}/file", { path: { id } })).blob(),
    );
    this.files.set(id, address);
    const oldest = this.files.keys().next().value!;
    if (this.files.size > KEPT && oldest !== id) {
      URL.revokeObjectURL(this.files.get(oldest)!);
      this.files.delete(oldest);
    }
    return address;
  }
}
