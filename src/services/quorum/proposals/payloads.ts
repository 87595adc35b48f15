import * as v from 'valibot';
import { actionPayloads, type ActionType } from '../../../contract/quorum/actions.ts';
import { fieldsProblem } from '../../../base/problem.ts';
import type { Payload } from './action.ts';

/** How many wrong fields an answer names. */
const NAMED = 20;

/** The type, if it is known. What is stored may be of another version. */
export function knownType(type: string): ActionType | undefined {
  return Object.hasOwn(actionPayloads, type) ? (type as ActionType) : undefined;
}

/**
 * The payload as the schema of its type returns it.
 * @throws Problem invalid VALIDATION_ERROR that names the fields, and never their values
 */
export function checkPayload(type: ActionType, payload: unknown): Payload {
  const schema: v.GenericSchema<unknown, Payload> = actionPayloads[type];
  const { issues, success, output } = v.safeParse(schema, payload, { abortPipeEarly: true });
  if (success) return output;
  const fields = issues
    .slice(0, NAMED)
    .map((issue) => ({ path: ['actionPayload', v.getDotPath(issue) ?? []].flat().join('.'), message: said(issue) }));
  throw fieldsProblem(fields, issues.length - fields.length);
}

function said(issue: v.BaseIssue<unknown>): string {
  if (issue.expected === 'never') return 'is not a field of this action';
  if (issue.input === undefined && issue.kind === 'schema') return 'is missing';
  return issue.message.startsWith('Invalid ') ? 'is not valid' : issue.message;
}
