import { types } from 'node:util';
import type { ProblemCode } from '../../base/problem-codes.ts';
import { Problem, type FieldProblem, type ProblemKind } from '../../base/problem.ts';

/** A failure as data, because the class of a Problem does not pass between threads. */
export type Failure = { readonly problem: PlainProblem } | { readonly error: unknown };

interface PlainProblem {
  readonly kind: ProblemKind;
  readonly code: ProblemCode;
  readonly message: string;
  readonly fields: readonly FieldProblem[];
  readonly retryAfterSeconds: number | undefined;
  readonly details: Readonly<Record<string, string>> | undefined;
}

export function failureOf(error: unknown): Failure {
  // Values that are not real errors, such as a DOMException, can't be copied between threads either, so only their text is sent.
  if (!(error instanceof Problem)) return { error: types.isNativeError(error) ? error : new Error(String(error)) };
  const { kind, code, message, fields, retryAfterSeconds, details } = error;
  return { problem: { kind, code, message, fields, retryAfterSeconds, details } };
}

export function errorOf(failure: Failure): unknown {
  if (!('problem' in failure)) return failure.error;
  const { kind, code, message, fields, retryAfterSeconds, details } = failure.problem;
  return new Problem(kind, code, message, {
    fields,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(details !== undefined && { details }),
  });
}
