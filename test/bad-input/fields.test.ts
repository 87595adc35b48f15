import { describe, expect, it } from 'vitest';
import { engines } from '../support/stores.ts';
import { json, openScene, registering, registration } from './scene.ts';

describe.each(engines)('bad input on %s', (engine) => {
  const scene = openScene(engine);
  const { expectRefusal } = scene;

  describe('in a field', () => {
    const wrong = [null, 1, true, [], ['somebody'], {}, { length: 3 }, [['somebody']]];

    it.each(wrong.map((value) => [JSON.stringify(value), value] as const))(
      'where text belongs: %s',
      async (_, value) => {
        for (const name of Object.keys(registration)) {
          const answer = await expectRefusal(
            400,
            'VALIDATION_ERROR',
            'POST',
            '/api/user/register',
            registering({ [name]: value }),
          );
          expect(answer.body.errors.map((field: { path: string }) => field.path)).toEqual([name]);
        }
        await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/register', registering({ mnemonic: value }));
        await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/login', {
          body: { username: value, password: value },
        });
        await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/direct-challenge', {
          body: { challenge: value, signature: value },
        });
        const change = { currentPassword: scene.member.password, newPassword: value };
        await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/change-password', {
          body: change,
          token: scene.member.token,
        });
      },
    );

    it.each(['1e400', '-1e400', '1e308', '9007199254740993', '-1', '1.5', '0', '"1"', 'true', 'null', '[1]', '{}'])(
      'where a whole number belongs: %s',
      async (text) => {
        const rawBody = `{"settings":{"minRedundancy":${text}}}`;
        await expectRefusal(400, 'VALIDATION_ERROR', 'PUT', '/api/user/profile', {
          rawBody,
          headers: json,
          token: scene.member.token,
        });
      },
    );

    it.each(['[]', '[{}]', 'null', '1', '"settings"'])('where an object belongs: %s', async (text) => {
      const options = { rawBody: `{"settings":${text}}`, headers: json, token: scene.member.token };
      await expectRefusal(400, 'VALIDATION_ERROR', 'PUT', '/api/user/profile', options);
    });

    it.each([
      ['NUL', '\\u0000'],
      ['a control character', '\\u001b[2J'],
      ['a line end', '\\n'],
      ['DEL', '\\u007f'],
      ['half of a surrogate pair', '\\ud800'],
      ['the other half', '\\udc00'],
      ['a pair the wrong way round', '\\udc00\\ud800'],
    ])('with %s', async (_, escape) => {
      for (const name of Object.keys(registration)) {
        const text = JSON.stringify({ ...registration, [name]: '@' }).replace('"@"', `"some${escape}body@example.org"`);
        await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/register', {
          rawBody: text,
          headers: json,
        });
      }
      const login = { rawBody: `{"username":"${scene.member.username}${escape}","password":"x"}`, headers: json };
      await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/login', login);
      const settings = { rawBody: `{"timezone":"UTC${escape}"}`, headers: json, token: scene.member.token };
      await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/settings', settings);
      const codes = { rawBody: `{"backupCode":"AAAAA${escape}"}`, headers: json, token: scene.member.token };
      await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/recover-backup', codes);
    });

    it('never comes back in the answer', async () => {
      const secret = 'hunter2hunter2';
      const bodies = [
        { ...registration, password: [secret] },
        { ...registration, username: `${secret}!` },
        { ...registration, email: secret },
      ];
      for (const body of bodies) {
        const answer = await expectRefusal(400, 'VALIDATION_ERROR', 'POST', '/api/user/register', { body });
        expect(JSON.stringify(answer.body)).not.toContain(secret);
      }
      expect(JSON.stringify(scene.house.log.lines)).not.toContain(secret);
    });

    it('that nobody knows is ignored, whatever it is called', async () => {
      const strange =
        '{"darkMode":true,"type":"Admin","roles":["Admin"],"memberId":"0","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"toString":1}';
      const answer = await scene.house.api('POST', '/api/user/settings', {
        rawBody: strange,
        headers: json,
        token: scene.member.token,
      });
      expect(answer.status).toBe(200);
      expect(answer.body.user).toMatchObject({
        id: scene.member.memberId,
        darkMode: true,
        rolePrivileges: { admin: false },
      });
      expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
      await expectRefusal(403, 'FORBIDDEN', 'GET', '/api/admin/members', { token: scene.member.token });
    });
  });
});
