// Fields that features add to those of the aircraft itself, for rules to test.
export interface RuleField {
  /** The group of the editor that it stands in. */
  group: string;
  kind: string;
  unit?: string;
  /** The permission without which the field is not offered. */
  needs?: string;
}

export const RULE_FIELDS: Record<string, RuleField> = {};
