// What opens over a page closes as menus do: on Escape, and on a press elsewhere.
import type { ReactiveController, ReactiveControllerHost } from "lit";

export class Dismiss implements ReactiveController {
  /** `inside` selects what belongs to it, `opener` the button that has the focus again after Escape. */
  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement,
    private readonly inside: string,
    private readonly opener: string,
    private readonly isOpen: () => boolean,
    private readonly close: () => void,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener("pointerdown", this.press, true);
    addEventListener("keydown", this.key, true);
  }

  hostDisconnected(): void {
    removeEventListener("pointerdown", this.press, true);
    removeEventListener("keydown", this.key, true);
  }

  private readonly press = ({ target }: Event): void => {
    if (this.isOpen() && !(target as Element).closest?.(this.inside)) this.close();
  };

  private readonly key = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !this.isOpen()) return;
    // What is below it keeps its selection.
    event.stopPropagation();
    event.preventDefault();
    this.close();
    this.host.querySelector<HTMLElement>(this.opener)?.focus();
  };
}
