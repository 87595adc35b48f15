import { describe, expect, it } from 'vitest';
import { engines } from '../support/stores.ts';
import { json, openScene, registering, registration } from './scene.ts';

// The store is never reached, so one engine is enough.
describe.each(engines.slice(0, 1))('bad input on %s', (engine) => {
  const scene = openScene(engine);
  const { expectRefusal } = scene;

  describe('in the body', () => {
    it.each([
      ['is cut short', '{"username":"somebody"'],
      ['is not JSON', 'username=somebody'],
      ['is a list', '[]'],
      ['is a list of the right thing', `[${JSON.stringify(registration)}]`],
      ['is null', 'null'],
      ['is text', '"text"'],
      ['is a number', '1e999'],
      ['has a comment', '{"username":"somebody" /* me */}'],
      ['has a comma too many', '{"username":"somebody",}'],
      ['has the same key twice', '{"username":"somebody","username":"nobody"}'],
      ['names a key twice, spelled otherwise', String.raw`{"username":"somebody","\u0075sername":"nobody"}`],
      ['names a key twice inside', '{"settings":{"minRedundancy":1,"minRedundancy":2}}'],
    ])('that %s', async (_, rawBody) => {
      for (const path of ['/api/user/register', '/api/user/login', '/api/user/request-direct-login']) {
        await expectRefusal(400, 'VALIDATION_ERROR', 'POST', path, { rawBody, headers: json });
      }
      await expectRefusal(400, 'VALIDATION_ERROR', 'PUT', '/api/user/profile', {
        rawBody,
        headers: json,
        token: scene.member.token,
      });
    });

    it.each([
      ['bytes that never occur', [0xff, 0xfe]],
      ['a lone continuation', [0x80]],
      ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
      ['a zero written long', [0xc0, 0x80]],
    ])('that is not UTF-8: %s', async (_, bytes) => {
      const [head, tail] = JSON.stringify({ ...registration, username: '@' }).split('@') as [string, string];
      const rawBody = new Uint8Array([...Buffer.from(head), ...bytes, ...Buffer.from(tail)]);
      await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/register', { rawBody, headers: json });
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/json5',
      '*/*',
    ])('of type %s', async (type) => {
      const options = { ...registering({}), headers: { 'content-type': type } };
      await expectRefusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'POST', '/api/user/register', options);
    });

    it('of no type', async () => {
      const rawBody = new TextEncoder().encode(JSON.stringify(registration));
      await expectRefusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'POST', '/api/user/register', { rawBody });
    });

    it('of 10 MB, and a name of just under 1 MiB', async () => {
      const answer = await expectRefusal(
        413,
        'PAYLOAD_TOO_LARGE',
        'POST',
        '/api/user/register',
        registering({ username: 'x'.repeat(10_000_000) }),
      );
      expect(answer.headers.get('connection')).toBe('close');
      const fields = (
        await expectRefusal(
          400,
          'VALIDATION_ERROR',
          'POST',
          '/api/user/register',
          registering({ username: 'x'.repeat(1_048_000) }),
        )
      ).body.errors;
      expect(fields).toEqual([{ path: 'username', message: 'must be 3 to 30 characters' }]);
      const password = 'x'.repeat(1_000_000);
      await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/login', {
        body: { username: scene.member.username, password },
      });
    });

    it.each([['['], ['{"x":']])('of 100,000 times %s', async (bracket) => {
      const closing = bracket === '[' ? ']' : '}';
      const deep = bracket.repeat(100_000) + (bracket === '[' ? '' : '1') + closing.repeat(100_000);
      await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/register', {
        rawBody: deep,
        headers: json,
      });
      await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/register', {
        rawBody: bracket.repeat(100_000),
        headers: json,
      });
      const inside = `{"username":${deep},"email":"a@b","password":"x"}`;
      await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/register', {
        rawBody: inside,
        headers: json,
      });
      const unknown = { rawBody: `{"unknown":${deep},"darkMode":false}`, headers: json, token: scene.member.token };
      // Also where the field is one that nobody reads.
      await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/settings', unknown);
    });
  });
});
