// Fields that features add to those of the aircraft itself, for rules to test.
export interface RuleField {
  /** The group of the editor that it stands in. */
  group: string;
  kind: string;
  /** The ops that it takes, where it does not take all of its kind. */
  ops?: string[];
  unit?: string;
  /** The permission without which the field is not offered. */
  needs?: string;
}

export const RULE_FIELDS: Record<string, RuleField> = {};
