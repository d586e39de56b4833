// Values that the views watch: the one way in which state is shared between them.
import type { ReactiveController, ReactiveControllerHost } from "lit";

export interface Readable<T> {
  readonly value: T;
  subscribe(listener: (value: T) => void): () => void;
}

export class Cell<T> implements Readable<T> {
  #value: T;
  #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener(value);
  }

  update(change: (value: T) => T): void {
    this.set(change(this.#value));
  }

  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Renders its host again whenever one of the cells changes, while the host is in the page. */
export class Watch implements ReactiveController {
  #stops: (() => void)[] = [];

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly cells: Readable<unknown>[],
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    this.#stops = this.cells.map((cell) => cell.subscribe(() => this.host.requestUpdate()));
    this.host.requestUpdate();
  }

  hostDisconnected(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }
}
