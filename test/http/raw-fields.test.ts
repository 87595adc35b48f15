import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remoteTransport } from '../../src/client/http-transport.ts';
import { sendWithin } from '../../src/client/local-transport.ts';
import { perform, type Caller } from '../../src/client/perform.ts';
import type { Transport } from '../../src/client/transport.ts';
import { operation } from '../../src/contract/operation.ts';
import { RawJson, rawJson, rawJsonReply } from '../../src/contract/raw-json.ts';
import { line } from '../../src/contract/text.ts';
import { service } from '../../src/service/service-parts.ts';
import { services } from '../../src/node/services.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { inStage } from '../support/stage.ts';

const MEBIBYTE = 1024 ** 2;
const common = {
  method: 'POST',
  auth: 'none',
  status: 200,
  errors: [],
  message: 'Here it is',
  input: v.object({ name: line(40), value: rawJson('any JSON'), more: v.optional(v.number()) }),
  reply: v.object({ name: v.string(), value: rawJsonReply('the same'), more: v.optional(v.number()) }),
  maxBody: 5 * MEBIBYTE + 1024,
} as const;
const echo = {
  flat: operation({
    ...common,
    id: 'echo.flat',
    path: '/api/quorum/echo',
    envelope: 'quorum',
    summary: 'Answer the same',
  }),
  inside: operation({
    ...common,
    id: 'echo.inside',
    path: '/api/social/echo',
    envelope: 'social',
    summary: 'Answer the same',
  }),
};
interface Same {
  name: string;
  value: RawJson;
  more?: number | undefined;
}
const same = async (_ctx: unknown, _actor: unknown, input: Same): Promise<Same> => input;
const echoService = service(
  { name: 'echo', title: 'Echo', text: 'It answers the same.', contract: echo },
  { implementation: { flat: same, inside: same } },
);

const odd = [
  '1e400',
  '12345678901234567890',
  '-0',
  '1.0',
  'null',
  '""',
  String.raw`"\ud800 \u0041 \/"`,
  '{"b":1,"a":2,"1":3,"0":{"__proto__":{"x":1},"constructor":null}}',
  '[ 1 ,\n\t2 ]',
  '{ }',
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
];

let node: RunningNode;
const transports: Record<string, Transport> = {};
beforeAll(async () => {
  node = await startNode({ services: [...services, echoService] });
  transports['over TCP'] = remoteTransport(new URL(node.ready.url), undefined);
  transports['in this process'] = {
    send: sendWithin(node.control),
    [Symbol.asyncDispose]: async () => {},
  };
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
});

function caller(way: string): Caller {
  return { transport: transports[way]!, place: 'the node', userAgent: 'test', tokenFor: async () => undefined };
}

describe.each(['over TCP', 'in this process'])('a field that stays JSON, %s', (way) => {
  const both = [echo.flat, echo.inside];
  const one = [way === 'over TCP' ? echo.flat : echo.inside];

  it.each(inStage(one, one, both))('comes back as it was sent: $id', { tags: 'thorough' }, async (op) => {
    const large = JSON.stringify(randomBytes(3 * MEBIBYTE).toString('base64'));
    const many = JSON.stringify(Array.from({ length: inStage(30_000, 30_000, 300_000) }, (_, at) => [at, {}]));
    for (const text of [...odd, JSON.stringify('ü'.repeat(50_000)), large, many]) {
      const value = new RawJson(Buffer.from(text));
      const reply = await perform(caller(way), op, { name: 'a', value, more: 3 });
      expect([reply.name, reply.more]).toEqual(['a', 3]);
      expect(reply.value.text === text, text.slice(0, 50)).toBe(true);
    }
    const { value } = await perform(caller(way), op, { name: 'a', value: { plain: [1] } });
    expect([value.text, JSON.stringify(value)]).toEqual(['{"plain":[1]}', '{"plain":[1]}']);
  });
});

describe('a field that stays JSON', () => {
  it('is JSON, and its body has all that is wanted', async () => {
    const ask = async (body: string | Uint8Array<ArrayBuffer>) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await node.fetch('/api/quorum/echo', { method: 'POST', headers, body });
      const { error } = (await answer.json()) as { error?: { message: string } };
      return `${answer.status} ${error?.message}`;
    };
    const filler = ' '.repeat(100_000);
    for (const space of ['', filler]) {
      const notJson = '400 The body is not JSON in UTF-8.';
      for (const wrong of ['01', '[1,]', '"\n"', '{"a":1}}', 'undefined', '1,"more":1 2'])
        expect(await ask(`{"name":"a",${space}"value":${wrong}}`)).toBe(notJson);
      expect(
        await ask(Buffer.concat([Buffer.from(`{"name":"a",${space}"value":"`), Buffer.from([0xff, 0x22, 0x7d])])),
      ).toBe(notJson);
      const twice = '400 An object in the body has the same key twice.';
      for (const wrong of ['"value":1,"value":2', '"value":{"a":{"b":1,"b":2}}', String.raw`"value":1,"v\u0061lue":2`])
        expect(await ask(`{"name":"a",${space}${wrong}}`)).toBe(twice);
      expect(await ask(`{"name":"a"${space}}`)).toBe('400 value: is missing');
      expect(await ask(`{"value":1${space}}`)).toBe('400 name: is missing');
      expect(await ask(`[{"value":1${space}}]`)).toBe('400 The body must be a JSON object.');
      expect(await ask(`{"name":"a","value":1,"more":[${'['.repeat(40)}${space}${']'.repeat(40)}]}`)).toContain(
        'nested more than 32 levels deep',
      );
    }
    expect(await ask(`{"name":"a","value":"${'x'.repeat(6 * MEBIBYTE)}"}`)).toContain('413 The body is larger');
  });
});
