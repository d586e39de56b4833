// What the list of feeders and the page of one do alike: read again and again, show new credentials once, and edit.
import { html, nothing, type TemplateResult } from "lit";
import { t, type TextKey } from "../../i18n/i18n";
import { session } from "../../session/session";
import { Task } from "../../session/task";
import { credentialBox } from "./credentials";
import { fields, FIELDS } from "./form";
import { REFRESH_MS, type Credentials, type Feeder } from "./types";

export abstract class FeederTask extends Task {
  protected override readonly fields = FIELDS;
  protected fresh: Credentials | null = null;
  protected isEdited = false;
  /** The host that the person wants in the lines. */
  private host: string | null = null;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.watch(session.user, session.config);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(() => this.read());
    // A fault of the form must stay where it is.
    this.timer = setInterval(
      () => document.hidden || !this.isShown || void this.attemptRead(() => this.read()),
      REFRESH_MS,
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  protected abstract read(): Promise<void>;

  /** Whether what was read is on the screen. */
  protected get isShown(): boolean {
    return !this.isEdited;
  }

  protected readonly edit = (isEdited: boolean): void => {
    this.isEdited = isEdited;
    this.error = "";
    this.faults = {};
    this.requestUpdate();
  };

  private readonly putAway = (): void => {
    this.fresh = null;
    this.host = null;
    this.requestUpdate();
  };

  private readonly setHost = (host: string): void => {
    this.host = host;
    this.requestUpdate();
  };

  protected credentials(): TemplateResult | typeof nothing {
    return this.fresh ? credentialBox(this.fresh, this.host, this.setHost, this.putAway) : nothing;
  }

  /** The form of a feeder to register (null) or to change. */
  protected form(feeder: Feeder | null, submit: (event: SubmitEvent) => void, label: TextKey): TemplateResult {
    const faults = {
      faultBelow: (field: string) => this.faultBelow(field),
      invalid: (field: string) => this.invalid(field),
    };
    return html`<form class="form" @submit=${submit}>${fields(feeder, faults)}${this.fault()}
      <div class="actions"><button class="primary" ?disabled=${this.isBusy}>${t(label)}</button><button type="button" @click=${() => this.edit(false)}>${t("cancel")}</button></div></form>`;
  }
}
