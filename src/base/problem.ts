import type { ErrorCode } from '../contract/error-codes.ts';
import type { ProblemCode } from './problem-codes.ts';

/** The error that services throw. Its kind decides the HTTP status and the exit code, so services name neither. */
export const problemKinds = {
  invalid: { http: 400, exit: 2 },
  unauthenticated: { http: 401, exit: 4 },
  forbidden: { http: 403, exit: 5 },
  missing: { http: 404, exit: 6 },
  conflict: { http: 409, exit: 7 },
  gone: { http: 410, exit: 6 },
  precondition: { http: 412, exit: 7 },
  tooLarge: { http: 413, exit: 2 },
  unsupported: { http: 415, exit: 2 },
  tooMany: { http: 429, exit: 9 },
  internal: { http: 500, exit: 1 },
  network: { http: 502, exit: 8 },
  unavailable: { http: 503, exit: 8 },
  full: { http: 507, exit: 8 },
} as const;

export type ProblemKind = keyof typeof problemKinds;

/** One refused field of the input: its dotted path and what is wrong with it. It never holds the value. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

export interface ProblemOptions {
  readonly fields?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number;
  /** what programs need of it, by name; only the nested envelopes have it */
  readonly details?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * @param code stable, upper-case, part of the contract
 * @param message for people; it is sent unchanged, so it must never hold a secret, a path or a stack
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly kind: ProblemKind;
  readonly code: ProblemCode;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterSeconds: number | undefined;
  readonly details: Readonly<Record<string, string>> | undefined;

  constructor(kind: ProblemKind, code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.code = code;
    this.fields = options.fields ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
  }
}

export interface FieldProblemOptions {
  readonly code?: ErrorCode;
  /** a full sentence that replaces the field and what is wrong with it */
  readonly sentence?: string;
  readonly cause?: unknown;
}

/** Refuses one field of the input. @param message what is wrong with the field; the text follows the name of the field */
export function fieldProblem(path: string, message: string, options: FieldProblemOptions = {}): Problem {
  const { code = 'VALIDATION_ERROR', sentence = `${path}: ${message}`, cause } = options;
  return new Problem('invalid', code, sentence, { fields: [{ path, message }], cause });
}

/** Refuses several fields at once. @param more how many other fields are wrong but not named */
export function fieldsProblem(fields: readonly FieldProblem[], more = 0): Problem {
  const said = fields.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (more > 0) said.push(`and ${more} more`);
  return new Problem('invalid', 'VALIDATION_ERROR', said.join('; '), { fields });
}

/** The kind of problem for an HTTP status, for clients. An unknown status counts as the general status of its class. */
export function kindOfStatus(status: number): ProblemKind {
  for (const [kind, { http }] of Object.entries(problemKinds)) if (http === status) return kind as ProblemKind;
  return status >= 500 ? 'internal' : 'invalid';
}
