import { codeOfStatus } from '../../src/base/problem-status.ts';
import { isDeepStrictEqual } from 'node:util';
import { allOperations } from '../../src/contract/all.ts';
import { envelopes } from '../../src/contract/envelope.ts';
import type { Operation } from '../../src/contract/operation.ts';
import type { OpenApiDocument, OperationObject } from '../../src/http/openapi/types.ts';
import type { Fetch } from '../support/house.ts';
import { filled, shapeOf, surfaceOfSystem, type Row } from './table.ts';

/** A running node, and what has been seen of it. */
export interface World {
  readonly fetch: Fetch;
  /** as the node itself serves it */
  readonly document: OpenApiDocument;
  readonly member: string;
  readonly administrator: string;
  /** statuses that were answered to whoever uses the endpoints as they are meant, by method and shape */
  readonly used: ReadonlyMap<string, ReadonlySet<number>>;
}

export const keyOf = (method: string, path: string): string => `${method} ${shapeOf(path)}`;

const base = 'http://node.test';
const id = '0123456789abcdef0123456789abcdef';
const forgedToken = 'eyJhbGciOiJIUzI1NiJ9.eyJtZW1iZXJJZCI6IjAifQ.c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0';

/** What the node does otherwise than the table says: nothing, where an endpoint conforms. */
export async function complaints(row: Row, world: World): Promise<string[]> {
  const op = operationOf(row);
  const described = describedAs(row, world.document);
  if (op === undefined) return [`is absent${described === undefined ? '' : ', but the OpenAPI document has it'}`];
  if (described === undefined) return ['is missing in the OpenAPI document'];
  return [
    ...documentComplaints(row, described),
    ...successComplaints(row, op, world),
    ...(await accessComplaints(row, world)),
    ...(await inputComplaints(row, op, described, world)),
  ];
}

export function operationOf(row: Row): Operation | undefined {
  return allOperations().find((op) => keyOf(op.method, op.path) === keyOf(row.method, row.path));
}

function describedAs(row: Row, document: OpenApiDocument): OperationObject | undefined {
  const found = Object.entries(document.paths).find(
    ([path, item]) => shapeOf(path) === shapeOf(row.path) && item[row.method.toLowerCase()] !== undefined,
  );
  return found?.[1][row.method.toLowerCase()];
}

function documentComplaints(row: Row, described: OperationObject): string[] {
  // Programs without a token may have an app password, where the operation has a scope.
  const scoped = described['x-scope'] === undefined ? [] : [{ appPassword: [] }];
  const botted = described['x-bot-scope'] === undefined ? [] : [{ botToken: [] }];
  const security = row.auth === 'none' ? [] : [{ bearer: [] }, ...scoped, ...botted];
  const statuses = new Set(Object.keys(described.responses).map(Number));
  const wanted = [
    ...(row.success === undefined ? [] : [row.success]),
    ...row.errors,
    ...(row.auth === 'none' ? [] : [401]),
  ];
  const unsaid = wanted.filter((status) => !statuses.has(status));
  return [
    ...(isDeepStrictEqual(described.security, security)
      ? []
      : [`OpenAPI: its security is ${JSON.stringify(described.security)}`]),
    ...((described['x-required-roles'] !== undefined) === (row.auth === 'admin')
      ? []
      : ['OpenAPI: its roles are not the documented ones']),
    ...unsaid.map((status) => `OpenAPI: it does not say ${status}`),
  ];
}

/** The table has one success of each; this one has a second, for what is only asked for. */
const alsoDocumented: Readonly<Record<string, number>> = { 'POST /api/social/messages/conversations': 200 };

function successComplaints(row: Row, op: Operation, world: World): string[] {
  const seen = [...(world.used.get(keyOf(row.method, row.path)) ?? [])].filter((status) => status < 300);
  if (seen.length === 0) return ['nobody has used it with success'];
  if (row.success === undefined) return [];
  const also = alsoDocumented[`${row.method} ${row.path}`];
  const others = seen.filter((status) => status !== row.success && status !== also);
  return [
    ...others.map((status) => `it answered ${status} instead of ${row.success}`),
    ...(op.status === row.success ? [] : [`the contract says ${op.status} instead of ${row.success}`]),
  ];
}

async function accessComplaints(row: Row, world: World): Promise<string[]> {
  const path = filled(row.path, id);
  if (row.auth === 'none') {
    const response = await world.fetch(request(row.method, path, { body: '{}' }));
    return response.status === 401 && row.success !== undefined && !row.errors.includes(401) ? ['wants a token'] : [];
  }
  const found: string[] = [];
  for (const [what, authorization] of [
    ['without a token', undefined],
    ['with a token that is none', 'Bearer garbage'],
    ['with a forged token', `Bearer ${forgedToken}`],
  ] as const) {
    found.push(...(await refusal(row, what, request(row.method, path, { authorization }), [401], world)));
  }
  if (row.auth === 'admin') {
    found.push(
      ...(await refusal(row, 'for a member', request(row.method, path, { authorization: world.member }), [403], world)),
    );
  }
  return found;
}

async function inputComplaints(row: Row, op: Operation, described: OperationObject, world: World): Promise<string[]> {
  const authorization = row.auth === 'none' ? undefined : row.auth === 'admin' ? world.administrator : world.member;
  const found: string[] = [];
  if (described.requestBody?.required === true && described.requestBody.content['application/json'] !== undefined) {
    for (const body of ['{}', '[]', 'nonsense', '{"a":1,"a":2}']) {
      const sent = request(row.method, filled(row.path, id), { authorization, body });
      // What is sent as it is, is not read before it is known whether it may be.
      const wanted = op.form === 'json' ? [400] : [400, 404];
      found.push(...(await refusal(row, `for the body ${body}`, sent, wanted, world)));
    }
  }
  if (described.parameters.some((parameter) => parameter.in === 'query' && parameter.required)) {
    found.push(
      ...(await refusal(
        row,
        'without its query',
        request(row.method, filled(row.path, id), { authorization }),
        [400],
        world,
      )),
    );
  }
  if (described.parameters.some((parameter) => parameter.in === 'path')) {
    const wanted = row.errors.includes(404) ? [400, 404] : [400];
    found.push(
      ...(await refusal(
        row,
        'for nonsense in its path',
        request(row.method, filled(row.path, '%21%00'), { authorization }),
        wanted,
        world,
      )),
    );
  }
  return found;
}

/** Whether the node refuses a request with one of these statuses, and in the envelope of the system. */
async function refusal(
  row: Row,
  what: string,
  sent: Request,
  statuses: readonly number[],
  world: World,
): Promise<string[]> {
  const response = await world.fetch(sent);
  const envelope = envelopes[surfaceOfSystem[row.system]!];
  const text = await response.text();
  const body = text.startsWith('{') ? (JSON.parse(text) as unknown) : undefined;
  const failure = envelope.failed(body);
  return [
    ...(statuses.includes(response.status) ? [] : [`${what}: ${response.status} instead of ${statuses.join(' or ')}`]),
    ...(failure !== undefined && isDeepStrictEqual(envelope.failure(failure, codeOfStatus(response.status)), body)
      ? []
      : [`${what}: not in the envelope of ${row.system}`]),
  ];
}

function request(
  method: string,
  path: string,
  { authorization, body }: { authorization?: string | undefined; body?: string },
): Request {
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return new Request(base + path, { method, headers, ...(body !== undefined && method !== 'GET' && { body }) });
}
