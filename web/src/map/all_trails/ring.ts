// The segments of all trails as one ring in the order of time: a picture appends some hundred at its head, and the oldest
// fall off its tail. So a picture costs one small upload, however many trails there are.
import type { TrailNews } from "../../live/messages";
import { SEGMENT_WORDS } from "../../live/trails/book";

const START = 1 << 14;
/** 50 MB; beyond it the trails of the largest skies are shorter. */
const MOST = 1 << 21;

export class TrailRing {
  data = new Float32Array(START * SEGMENT_WORDS);
  bits = new Uint32Array(this.data.buffer);
  /** Segments that were ever appended, and those of them that are gone; their place is the rest by the capacity. */
  head = 0;
  tail = 0;
  /** Another number for another array, in which everything has another place. */
  version = 0;
  news: TrailNews | null = null;
  private run = -1;

  get capacity(): number {
    return this.data.length / SEGMENT_WORDS;
  }

  take(news: TrailNews): void {
    if (news.run !== this.run) {
      this.run = news.run;
      this.head = this.tail = 0;
      this.version += 1;
    }
    this.news = news;
    this.drop(news.now - news.span);
    const segments = new Float32Array(news.segments);
    const count = segments.length / SEGMENT_WORDS;
    while (this.head - this.tail + count > this.capacity && this.capacity < MOST) this.widen();
    this.tail = Math.max(this.tail, this.head + count - this.capacity);
    for (let from = 0; from < count;) {
      const place = this.head % this.capacity;
      const some = Math.min(count - from, this.capacity - place);
      this.data.set(segments.subarray(from * SEGMENT_WORDS, (from + some) * SEGMENT_WORDS), place * SEGMENT_WORDS);
      this.head += some;
      from += some;
    }
  }

  /** Runs of places that hold the segments from one number to another: two where they go over the end of the array. */
  runs(from: number, to: number): [start: number, count: number][] {
    if (from >= to) return [];
    const start = from % this.capacity;
    const count = to - from;
    const room = this.capacity - start;
    return count <= room
      ? [[start, count]]
      : [
          [start, room],
          [0, count - room],
        ];
  }

  private drop(before: number): void {
    while (this.tail < this.head && this.data[(this.tail % this.capacity) * SEGMENT_WORDS + 4] < before) this.tail += 1;
  }

  private widen(): void {
    const wider = new Float32Array(2 * this.data.length);
    let at = 0;
    for (const [start, count] of this.runs(this.tail, this.head)) {
      wider.set(this.data.subarray(start * SEGMENT_WORDS, (start + count) * SEGMENT_WORDS), at * SEGMENT_WORDS);
      at += count;
    }
    this.data = wider;
    this.bits = new Uint32Array(wider.buffer);
    this.tail = 0;
    this.head = at;
    this.version += 1;
  }
}
