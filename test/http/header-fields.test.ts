import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestOf } from '../../src/client/request.ts';
import { allOperations } from '../../src/contract/all.ts';
import { bodyHeaders, broughtHeaders, headerFieldsOf, headerOf } from '../../src/contract/header-fields.ts';
import { services } from '../../src/node/services.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { parcels, parcelService } from './parcels.ts';

const password = 'none of your business';
let node: RunningNode;
let token: string;
beforeAll(async () => {
  const post = parcelService({ closed: new Set(), read: 0, early: false });
  node = await startNode({ services: [...services, post], env: { CONCLAVE_CORS_ORIGINS: 'https://home.example' } });
  const account = { username: 'ann', email: 'ann@example.org', password: 'seven green bottles' };
  const answer = await node.fetch('/api/user/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  ({ token } = ((await answer.json()) as { data: { token: string } }).data);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

async function ask(
  headers: Readonly<Record<string, string>>,
  body: object = {},
  path = '/api/social/parcels/main/opening',
) {
  const answer = await node.fetch(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  return { status: answer.status, body: (await answer.json()) as any };
}

describe('fields that headers say', () => {
  it('are input like others, and come from headers alone', async () => {
    const answer = await ask({ 'x-parcel-password': 'open', 'X-LAYER': '2' }, { knife: 'blunt' });
    expect(answer.body.data.given).toEqual({ street: 'main', password: 'open', layer: '2', knife: 'blunt' });
    const inBody = await ask({ 'x-parcel-password': 'open' }, { layer: '7', password: 'other' });
    expect(inBody.body.data.given).toEqual({ street: 'main', password: 'open' });
    const inQuery = await ask({ 'x-parcel-password': 'open' }, {}, '/api/social/parcels/main/opening?layer=7');
    expect(inQuery.body.data.given).toEqual({ street: 'main', password: 'open' });
  });

  it('are refused by their schema, under the name of the header and without what was sent', async () => {
    const cases: [Record<string, string>, string][] = [
      [{}, 'X-Parcel-Password: is missing'],
      [{ 'x-parcel-password': password.repeat(3) }, 'X-Parcel-Password: must be at most 20 characters'],
      [{ 'x-parcel-password': 'open', 'x-layer': 'deep' }, 'X-Layer: must be a digit'],
    ];
    for (const [headers, message] of cases) {
      const answer = await ask(headers);
      const [path, said] = message.split(': ');
      expect([answer.status, answer.body.error]).toMatchObject([
        400,
        { code: 'VALIDATION_ERROR', message, errors: [{ path, message: said }] },
      ]);
      expect(JSON.stringify(answer.body)).not.toContain(password);
    }
    expect(node.log.lines.length).toBeGreaterThan(0);
    expect(JSON.stringify(node.log.lines)).not.toContain(password);
  });

  it.each([
    ['X-Device', 'must be 32 bytes in base64url, without padding', '/api/user/login'],
    ['X-Vault-Unlock', 'must be 32 bytes in base64url, without padding', '/api/passvault/vaults'],
    ['Idempotency-Key', 'must be 1 to 255 visible ASCII characters', '/api/passvault/vaults'],
  ])('are read alike where an operation brings them beside its input: %s', async (header, message, path) => {
    const answer = await ask({ [header]: password }, {}, path);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(`${header}: ${message}`);
    expect(JSON.stringify(answer.body) + JSON.stringify(node.log.lines)).not.toContain(password);
  });

  it('are put into headers by the client, never into the URL or the body', () => {
    const input = { street: 'main', password, layer: '2', knife: 'blunt' };
    expect(requestOf(parcels.open, input)).toEqual({
      method: 'POST',
      path: '/api/social/parcels/main/opening',
      headers: { 'x-parcel-password': password, 'x-layer': '2', 'content-type': 'application/json' },
      body: '{"knife":"blunt"}',
    });
    const brought = { street: 'main', idempotencyKey: 'once' };
    expect(requestOf(parcels.send, brought)).toEqual({
      method: 'POST',
      path: '/api/social/parcels/main',
      headers: { 'idempotency-key': 'once' },
    });
    for (const wrong of [`${password}\r\nx-admin: 1`, `${password}é`, 7])
      expect(() => requestOf(parcels.open, { ...input, password: wrong })).toThrow(
        /^X-Parcel-Password: must be text of visible ASCII characters and spaces$/,
      );
  });

  it('stand in OpenAPI, in the reference and in the answer to a preflight', async () => {
    const document = JSON.parse(await (await node.fetch('/openapi.json')).text());
    const { parameters } = document.paths['/api/social/parcels/{street}/opening'].post;
    expect(parameters.filter((one: { in: string }) => one.in === 'header')).toMatchObject([
      { name: 'X-Parcel-Password', required: true, description: 'of the parcel', schema: { format: 'password' } },
      { name: 'X-Layer', required: false, schema: { pattern: String.raw`^\d$` } },
    ]);
    const sent = document.paths['/api/social/parcels/{street}'].post;
    expect(sent.parameters.map(({ name }: { name: string }) => name)).toEqual([
      'street',
      'Idempotency-Key',
      'Content-Digest',
    ]);
    expect(sent.responses['409']).toBeDefined();
    const page = await (await node.fetch('/docs')).text();
    expect(page).toContain('<code>X-Parcel-Password</code>');
    const preflight = await node.fetch('/api/social/parcels/main', {
      method: 'OPTIONS',
      headers: { origin: 'https://home.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-headers')?.split(/, ?/)).toEqual([
      'authorization',
      'content-type',
      'content-digest',
      'idempotency-key',
      'if-match',
      'if-range',
      'range',
      'x-chunk-checksum',
      'x-device',
      'x-layer',
      'x-parcel-password',
      'x-recipients',
      'x-share-grant',
      'x-share-password',
      'x-vault-unlock',
    ]);
  });
});

describe('the fields of an operation', () => {
  it.each(allOperations().map((op) => [op.id, op] as const))('have a name and a header of their own: %s', (_id, op) => {
    const names = [...Object.keys(op.input.entries), ...Object.keys({ ...broughtHeaders(op), ...bodyHeaders(op) })];
    expect(new Set(names).size).toBe(names.length);
    const headers = Object.values(headerFieldsOf(op)).map((schema) => headerOf(schema)?.toLowerCase());
    expect(new Set(headers).size).toBe(headers.length);
    for (const taken of ['authorization', 'content-type', 'content-length', 'host', 'user-agent'])
      expect(headers).not.toContain(taken);
    // It is a choice between types of answers.
    if (headers.includes('accept')) expect(op.form === 'raw' && op.produces.length).toBeGreaterThan(1);
  });
});
