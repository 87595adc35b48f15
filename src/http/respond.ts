import type { Readable } from 'node:stream';
import { FastResponse } from 'srvx';
import { envelopes, type Failure } from '../contract/envelope.ts';
import { errorCodes, type ErrorCode } from '../contract/error-codes.ts';
import type { EnvelopeName } from '../contract/operation.ts';
import { Problem, problemKinds } from '../problem.ts';

const jsonType = 'application/json; charset=utf-8';

export type HeaderFields = Readonly<Record<string, string>>;

export function respondJson(status: number, body: unknown, headers: HeaderFields): Response {
  return respondText(status, JSON.stringify(body), headers);
}

/** @param text JSON, or what sends it piece by piece */
export function respondText(status: number, text: string | Readable, headers: HeaderFields): Response {
  if (status === 204) return new FastResponse(null, { status, headers });
  const init = { status, headers: { 'content-type': jsonType, ...headers } };
  // Only Node's server is given streams, and it takes those of its own; the type knows those of the web alone.
  return new FastResponse(text as string, init);
}

/** A problem in the envelope of its service. */
export function respondProblem(envelope: EnvelopeName, problem: Problem, headers: HeaderFields): Response {
  const failure: Failure = { code: problem.code, message: problem.message, fields: problem.fields };
  const more: Record<string, string> = {};
  if (problem.retryAfterSeconds !== undefined) more['retry-after'] = String(Math.ceil(problem.retryAfterSeconds));
  if (problem.kind === 'unauthenticated') more['www-authenticate'] = 'Bearer';
  // What is left of a body that was refused is never read: the connection can't serve another request.
  if (problem.kind === 'tooLarge' || problem.code === 'REQUEST_TIMEOUT') more['connection'] = 'close';
  return respondJson(statusOf(problem), envelopes[envelope].failure(failure), { ...headers, ...more });
}

export function statusOf(problem: Problem): number {
  return Object.hasOwn(errorCodes, problem.code)
    ? errorCodes[problem.code as ErrorCode].status
    : problemKinds[problem.kind].http;
}

/**
 * What goes out for whatever was thrown: problems as they are, anything else as an INTERNAL_ERROR that says nothing but
 * the request id under which the log has the rest.
 */
export function publicProblem(error: unknown, requestId: string): Problem {
  if (error instanceof Problem && error.kind !== 'internal') return error;
  const code = error instanceof Problem ? error.code : 'INTERNAL_ERROR';
  const text = error instanceof Problem ? error.message : 'An unexpected error occurred.';
  return new Problem('internal', code, `${text} Request id: ${requestId}`);
}
