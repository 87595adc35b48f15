import { expect } from 'vitest';
import { signChallenge } from '../../support/member-key.ts';
import type { Fetch } from '../../support/house.ts';

interface Call {
  readonly token?: string;
  readonly body?: unknown;
}

/**
 * The life of an account, from registration to recovery, over anything that is shaped like `fetch`: in process, the control socket, a URL.
 * @param base such as `http://127.0.0.1:8080`
 * @param name a username that nobody has yet
 */
export async function runAccountScenario(fetch: Fetch, base: string, name: string): Promise<void> {
  async function call(status: number, method: string, path: string, { token, body }: Call = {}) {
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
    const response = await fetch(new Request(`${base}/api/user${path}`, init));
    // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
    const answer = (await response.json()) as any;
    expect([method, path, response.status, answer.error]).toEqual([
      method,
      path,
      status,
      status < 400 ? undefined : expect.any(String),
    ]);
    return { ...answer, headers: response.headers };
  }
  const email = `${name}@example.org`;
  const passwords = [
    'first of four horses',
    'second of four horses',
    'third of four horses',
    'last of four horses',
  ] as const;

  const registered = (await call(201, 'POST', '/register', { body: { username: name, email, password: passwords[0] } }))
    .data;
  expect(registered).toMatchObject({ memberId: expect.stringMatching(/^[0-9a-f]{24}$/), energyBalance: 1000 });
  expect(registered.mnemonic.split(' ')).toHaveLength(24);
  const { memberId, mnemonic } = registered;
  await call(400, 'POST', '/register', { body: { username: name, email: `x${email}`, password: passwords[0] } });

  await call(401, 'POST', '/login', { body: { username: name, password: passwords[1] } });
  const second = (await call(200, 'POST', '/login', { body: { username: email, password: passwords[0] } })).data;
  const first = (await call(200, 'POST', '/login', { body: { username: name.toUpperCase(), password: passwords[0] } }))
    .data;
  expect(first.memberId).toBe(memberId);
  const { user } = await call(200, 'GET', '/verify', { token: first.token });
  expect(user).toMatchObject({
    id: memberId,
    username: name,
    email,
    rolePrivileges: { admin: false, member: true },
    timezone: 'UTC',
  });

  await call(200, 'POST', '/settings', { token: first.token, body: { timezone: 'Europe/Berlin', darkMode: true } });
  const { settings } = await call(200, 'GET', '/settings', { token: first.token });
  expect(settings).toMatchObject({ timezone: 'Europe/Berlin', darkMode: true, currency: 'USD' });
  await call(200, 'PUT', '/profile', { token: first.token, body: { settings: { minRedundancy: 5 } } });
  const profile = (await call(200, 'GET', '/profile', { token: first.token })).data;
  expect(profile).toMatchObject({
    energyBalance: 1000,
    reputation: 0.5,
    profile: { settings: { minRedundancy: 5, autoReplication: true } },
  });

  await call(200, 'POST', '/settings', { token: first.token, body: { directChallenge: true } });
  const { challenge, serverPublicKey } = await call(200, 'POST', '/request-direct-login');
  const signed = { challenge, signature: await signChallenge(mnemonic, challenge, serverPublicKey), username: name };
  const nonce = '5a'.repeat(32);
  expect((await call(200, 'POST', '/prove-server', { body: { nonce } })).serverPublicKey).toBe(serverPublicKey);
  const direct = await call(200, 'POST', '/direct-challenge', { body: signed });
  await call(401, 'POST', '/direct-challenge', { body: signed });
  expect(direct.user.id).toBe(memberId);

  const program = { name: 'Telephone', scopes: ['mail'] };
  const made = await call(201, 'POST', '/app-passwords', { token: first.token, body: program });
  expect(made.appPassword).toMatchObject({ ...program, lastUsedAt: null, expiresAt: null });
  expect(made.password.startsWith(made.appPassword.begins)).toBe(true);
  const { appPasswords } = await call(200, 'GET', '/app-passwords', { token: first.token });
  expect(appPasswords).toEqual([made.appPassword]);
  await call(200, 'DELETE', `/app-passwords/${made.appPassword.id}`, { token: first.token });

  const { sessions } = await call(200, 'GET', '/sessions', { token: first.token });
  expect(sessions).toHaveLength(4);
  const other = sessions.find((session: { keyUnlocked: boolean }) => !session.keyUnlocked);
  await call(200, 'DELETE', `/sessions/${other.id}`, { token: first.token });
  await call(401, 'GET', '/verify', { token: direct.token });

  const change = { currentPassword: passwords[0], newPassword: passwords[1] };
  await call(200, 'POST', '/change-password', { token: first.token, body: change });
  await call(401, 'GET', '/verify', { token: second.token });
  await call(401, 'POST', '/login', { body: { username: name, password: passwords[0] } });

  const { backupCodes } = await call(200, 'POST', '/backup-codes', { token: first.token });
  expect(backupCodes).toHaveLength(10);
  const reset = { backupCode: backupCodes[3], newPassword: passwords[2] };
  expect((await call(200, 'POST', '/recover-backup', { token: first.token, body: reset })).codeCount).toBe(9);
  await call(401, 'POST', '/recover-backup', { token: first.token, body: reset });
  expect((await call(200, 'GET', '/backup-codes', { token: first.token })).codeCount).toBe(9);
  const third = (await call(200, 'POST', '/login', { body: { username: name, password: passwords[2] } })).data;

  const recovery = { email, mnemonic, newPassword: passwords[3] };
  const recovered = (await call(200, 'POST', '/recover', { body: recovery })).data;
  expect(recovered).toMatchObject({ memberId, passwordReset: true });
  await call(401, 'GET', '/verify', { token: first.token });
  await call(401, 'GET', '/verify', { token: third.token });

  const refreshed = await call(200, 'GET', '/refresh-token', { token: recovered.token });
  expect(refreshed.headers.get('authorization')).toBe(`Bearer ${refreshed.token}`);
  await call(200, 'POST', '/logout', { token: refreshed.token });
  await call(401, 'GET', '/verify', { token: refreshed.token });
  await call(401, 'GET', '/verify', { token: recovered.token });
  await call(200, 'POST', '/login', { body: { username: name, password: passwords[3] } });
}
