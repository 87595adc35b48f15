import type { Readable } from 'node:stream';
import { FastResponse } from 'srvx';
import { envelopes, type Failure } from '../contract/envelope.ts';
import type { EnvelopeName } from '../contract/operation.ts';
import { codeOfStatus, statusOf } from '../base/problem-status.ts';
import { Problem } from '../base/problem.ts';

const jsonType = 'application/json; charset=utf-8';

export type HeaderFields = Readonly<Record<string, string>>;

export function respondJson(status: number, body: unknown, headers: HeaderFields): Response {
  return respondText(status, JSON.stringify(body), headers);
}

/** @param text JSON, as bytes too, or a stream that sends it piece by piece */
export function respondText(status: number, text: string | Buffer | Readable, headers: HeaderFields): Response {
  if (status === 204) return new FastResponse(null, { status, headers });
  const all = { 'content-type': jsonType, ...headers };
  if (typeof text === 'string') return new TextResponse(text, status, all) as unknown as Response;
  return new FastResponse(text as Readable, { status, headers: all });
}

/** The method that srvx calls on its responses. srvx doesn't declare it. */
const toNodeResponse = '_toNodeResponse';
interface NodeAnswer {
  readonly status: number;
  readonly statusText: string;
  /** names and values alternate */
  readonly headers: readonly string[];
  readonly body: string;
}
declare class SrvxResponse {
  constructor(text: string, init: ResponseInit);
  get headers(): Headers;
  [toNodeResponse](): NodeAnswer;
}

/** A text that Node's server sends without checking the kind of body and each header name. */
class TextResponse extends (FastResponse as unknown as typeof SrvxResponse) {
  readonly #text: string;
  readonly #status: number;
  readonly #fields: HeaderFields;
  #isPlain = true;

  constructor(text: string, status: number, fields: HeaderFields) {
    super(text, { status, headers: fields });
    this.#text = text;
    this.#status = status;
    this.#fields = fields;
  }

  /** A caller may change the returned headers, so the answer is not plain any more. */
  override get headers(): Headers {
    this.#isPlain = false;
    return super.headers;
  }

  override [toNodeResponse](): NodeAnswer {
    if (!this.#isPlain) return super[toNodeResponse]();
    const headers: string[] = [];
    for (const name in this.#fields) headers.push(name, this.#fields[name] as string);
    headers.push('content-length', String(Buffer.byteLength(this.#text)));
    return { status: this.#status, statusText: '', headers, body: this.#text };
  }
}

/**
 * A problem in the envelope of its service.
 *
 * @param challenge how the client can authenticate, for a request without valid credentials
 */
export function respondProblem(
  envelope: EnvelopeName,
  problem: Problem,
  headers: HeaderFields,
  challenge = 'Bearer',
): Response {
  const { code, message, fields, details } = problem;
  const failure: Failure = { code, message, fields, details };
  const more: Record<string, string> = {};
  if (problem.retryAfterSeconds !== undefined) more['retry-after'] = String(Math.ceil(problem.retryAfterSeconds));
  if (problem.kind === 'unauthenticated') more['www-authenticate'] = challenge;
  // The rest of a refused body is not read, so the connection cannot serve another request.
  if (problem.kind === 'tooLarge' || problem.code === 'REQUEST_TIMEOUT') more['connection'] = 'close';
  const status = statusOf(problem);
  return respondJson(status, envelopes[envelope].failure(failure, codeOfStatus(status)), { ...headers, ...more });
}

/**
 * The response for a thrown error. A Problem goes out as it is. Any other error becomes an INTERNAL_ERROR with only the request id, and
 * the log has the details.
 */
export function publicProblem(error: unknown, requestId: string): Problem {
  if (error instanceof Problem && error.kind !== 'internal') return error;
  const code = error instanceof Problem ? error.code : 'INTERNAL_ERROR';
  const text = error instanceof Problem ? error.message : 'An unexpected error occurred.';
  return new Problem('internal', code, `${text} Request id: ${requestId}`);
}
