// The base of all views: custom elements without a shadow tree, so that one style sheet and one focus order serve all.
import { LitElement, noChange } from "lit";
import { Directive, directive, type ElementPart, PartType, type PartInfo } from "lit/directive.js";
import { Watch, type Readable } from "../core/cell";
import { language, sentences } from "../i18n/i18n";

export abstract class View extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected watch(...cells: Readable<unknown>[]): void {
    new Watch(this, [language, sentences, ...cells]);
  }
}

/** Sets style properties one by one: a `style` attribute would be refused by the content security policy. */
class Properties extends Directive {
  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new Error("styled() stands in an element's tag");
  }

  render(_properties: Record<string, string>): typeof noChange {
    return noChange;
  }

  override update(part: ElementPart, [properties]: [Record<string, string>]): typeof noChange {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(properties)) style.setProperty(name, value);
    return noChange;
  }
}

export const styled = directive(Properties);
