/** What is wrong with a component, or with a part of it. */
export interface ReadProblem {
  readonly uid?: string;
  /** of the file, from 1 */
  readonly line: number;
  readonly code: ReadProblemCode;
  /** a sentence for people */
  readonly message: string;
}

/** Codes of what makes an event fail, and of what is read with a correction. Programs read them in the result of an import. */
export type ReadProblemCode =
  | 'EVENT_TOO_LARGE'
  | 'EVENT_TOO_DEEP'
  | 'PROPERTIES_TOO_MANY'
  | 'ZONES_TOO_MANY'
  | 'START_MISSING'
  | 'TIME_INVALID'
  | 'RULE_INVALID'
  | 'DURATION_INVALID'
  | 'UID_INVALID'
  | 'LINE_INVALID'
  | 'TEXT_NOT_UTF8'
  | 'COMPONENT_NOT_ENDED'
  | 'ENDS_BEFORE_START'
  | 'EVENT_TWICE'
  | 'ZONE_DIFFERS'
  | 'ZONE_UNKNOWN';
