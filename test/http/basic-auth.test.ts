import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/service/actor.ts';
import { accounts } from '../../src/contract/accounts.ts';
import type { Method } from '../../src/contract/operation.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import { checkAppPassword } from '../../src/shared/members/app-passwords.ts';
import { watchAppPasswords } from '../../src/shared/members/ended-app-passwords.ts';
import { openMemberKey } from '../../src/shared/members/session-key.ts';
import { assertStillSignedIn } from '../../src/shared/members/still-signed-in.ts';
import { eventually } from '../support/eventually.ts';
import { openHouse, type House } from '../support/house.ts';
import { config as mailConfig } from '../support/mail-config.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import { bothEngines, engines } from '../support/stores.ts';
import { withTwoProcesses } from '../support/two-processes.ts';

const unread = '/api/emails/inbox/unread-count';
const challenge = 'Basic realm="conclave", charset="UTF-8"';
const wrong = {
  status: 401,
  body: { error: { code: 'UNAUTHORIZED', message: expect.stringMatching(/^The name or the app password is wrong/) } },
};

const basic = (name: string, password: string, scheme = 'Basic') =>
  `${scheme} ${Buffer.from(`${name}:${password}`).toString('base64')}`;

async function make(house: House, { token }: HouseMember, scopes: Scope[] = ['mail']): Promise<[string, string]> {
  const { body } = await house.perform(accounts.createAppPassword, { name: 'Telephone', scopes }, token);
  return [body.password, body.appPassword.id];
}

function ask(house: House, authorization: string, address = '203.0.113.1', path = unread, method: Method = 'GET') {
  return house.api(method, path, { headers: { authorization }, address });
}

async function withLimits(engine: (typeof engines)[number]): Promise<House> {
  await using plain = await openHouse(engine);
  return await openHouse(engine, { config: { limits: { ...plain.ctx.config.limits, enabled: true } } });
}

describe.each(engines)('Basic on %s', (engine) => {
  it('takes username or e-mail address and an app password, however it is typed', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register({ username: 'alice' });
    const [password] = await make(house, alice);
    for (const authorization of [
      basic('alice', password),
      basic('ALICE', password.toLowerCase(), 'basic'),
      basic(alice.email.toUpperCase(), password.replaceAll('-', ' ')),
      basic('alice', password.replaceAll('-', '').replaceAll('0', 'o').replaceAll('1', 'l')),
    ])
      expect(await ask(house, authorization)).toMatchObject({ status: 200, body: { data: { unreadCount: 0 } } });
  });

  it('refuses everything else in the same words, and asks for Basic again', async () => {
    await using house = await openHouse(engine);
    const [alice, bob] = [await house.register(), await house.register()];
    const [password] = await make(house, alice);
    const last = password.at(-1) === '0' ? '2' : '0';
    const answers = await Promise.all(
      [
        basic(alice.username, password.slice(0, -1) + last),
        basic(bob.username, password),
        basic(bob.email, password),
        basic('nobody-there', password),
        basic('', password),
        basic(alice.username, ''),
        basic(alice.username, `0000-0000${password.slice(9)}`),
        // The password of the account, which opens everything, is for the people who own it.
        basic(alice.username, alice.password),
        basic(alice.username, alice.token),
        'Basic',
        'Basic abc',
        'Basic !!!!',
        `Basic ${Buffer.from(alice.username).toString('base64')}`,
        `Basic ${Buffer.from([0xff, 0x3a, 0xff]).toString('base64')}`,
      ].map(async (authorization) => await ask(house, authorization)),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject(wrong);
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
    }
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
    expect(await house.ctx.db.selectFrom('app_passwords').select('last_used_at').execute()).toEqual([
      { last_used_at: null },
    ]);
  });

  it('reaches only operations with a scope, and the password only its own', async () => {
    await using house = await openHouse(engine);
    const alice = await house.administrator();
    const [files] = await make(house, alice, ['files', 'calendar']);
    expect(await ask(house, basic(alice.username, files))).toMatchObject({
      status: 403,
      body: {
        error: { code: 'INSUFFICIENT_SCOPE', message: 'This app password lacks the scope mail. Use one that has it.' },
      },
    });
    const [all] = await make(house, alice, ['mail', 'files', 'calendar']);
    for (const [method, path] of [
      ['GET', '/api/user/verify'],
      ['GET', '/api/user/app-passwords'],
      ['POST', '/api/user/app-passwords'],
      ['GET', '/api/user/refresh-token'],
      ['GET', '/api/passvault/vaults'],
      ['GET', '/api/quorum/documents'],
      ['GET', '/api/admin/members'],
    ] as const) {
      const answer = await ask(house, basic(alice.username, all), undefined, path, method);
      expect([path, answer.status]).toEqual([path, 403]);
      expect(JSON.stringify(answer.body)).toContain('INSUFFICIENT_SCOPE');
      const guessed = await ask(house, basic(alice.username, 'guessed'), undefined, path, method);
      expect([path, guessed.status, guessed.headers.get('www-authenticate')]).toEqual([path, 401, 'Bearer']);
    }
  });

  it('sends and reads as the member does, and repeats a request once', async () => {
    await using house = await openHouse(engine, { config: mailConfig });
    const alice = await house.register({ username: 'alice' });
    const [password] = await make(house, alice);
    const headers = { authorization: basic('alice', password), 'idempotency-key': 'the-same-again' };
    const own = { localPart: 'alice', domain: 'home.example' };
    const body = { from: own, to: [own], subject: 'Plans', textBody: 'At noon?' };
    const sent = [
      await house.api('POST', '/api/emails', { headers, body }),
      await house.api('POST', '/api/emails', { headers, body }),
    ];
    expect(sent[0]).toMatchObject({ status: 201, body: { data: { messageId: expect.any(String) } } });
    expect(sent[1]!.body).toEqual(sent[0]!.body);
    expect(await ask(house, headers.authorization)).toMatchObject({ body: { data: { unreadCount: 1 } } });
    const path = `/api/emails/${encodeURIComponent(sent[0]!.body.data.messageId)}/content`;
    expect(await ask(house, headers.authorization, undefined, path)).toMatchObject({
      status: 200,
      body: { data: { textBody: expect.stringMatching(/^At noon\?/) } },
    });
  });

  it('asks for Bearer where the request had no Basic', async () => {
    await using house = await openHouse(engine);
    for (const headers of [{}, { authorization: 'Bearer x' }]) {
      const answer = await house.api('GET', unread, { headers });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
  });

  it('lets in ten wrong tries of each password from each address, and the right one always', async () => {
    await using house = await withLimits(engine);
    const alice = await house.register();
    const [old, id] = await make(house, alice);
    const [other] = await make(house, alice);
    await house.perform(accounts.removeAppPassword, { id }, alice.token);
    const telephone = () => ask(house, basic(alice.username, old));
    for (let tries = 0; tries < 10; tries += 1) expect(await telephone()).toMatchObject(wrong);
    const refused = await telephone();
    expect(refused).toMatchObject({
      status: 429,
      body: {
        error: { code: 'RATE_LIMITED', message: expect.stringMatching(/^Too many requests\. Try again in \d+ s\.$/) },
      },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(await ask(house, basic(alice.username, old), '203.0.113.2')).toMatchObject(wrong);
    expect((await ask(house, basic(alice.username, other))).status).toBe(200);
    // Wrong tries of the other one, until they are limited too.
    const spoiled = `${other.slice(0, -1)}${other.at(-1) === '0' ? '2' : '0'}`;
    const statuses: number[] = [];
    for (let tries = 0; tries < 11; tries += 1)
      statuses.push((await ask(house, basic(alice.username, spoiled))).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect((await ask(house, basic(alice.username, other))).status).toBe(200);
    const failures = house.log.lines.filter(({ action }) => action === 'account.app-password-failed');
    expect(failures.map(({ target }) => target)).toEqual([
      ...Array.from({ length: 11 }, () => undefined),
      ...Array.from({ length: 10 }, () => alice.memberId),
    ]);
  });

  it('counts the requests of programs apart from those of their member', async () => {
    await using house = await withLimits(engine);
    const alice = await house.register();
    const [password] = await make(house, alice);
    const left = async (authorization: string) =>
      Number((await ask(house, authorization)).headers.get('ratelimit-remaining'));
    const [session, program] = [`Bearer ${alice.token}`, basic(alice.username, password)];
    expect([await left(program), await left(program), await left(session), await left(program)]).toEqual([
      2999, 2998, 2999, 2997,
    ]);
  });
});

describe.each(engines)('an actor with an app password on %s', (engine) => {
  const signIn = async (house: House, { username }: HouseMember, password: string): Promise<Actor> =>
    await checkAppPassword(house.ctx, {
      username,
      password,
      scope: 'mail',
      caller: { address: '203.0.113.1', userAgent: '' },
      failed: () => Promise.resolve(),
    });

  it('has no session and no private key', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const actor = await signIn(house, alice, (await make(house, alice))[0]);
    expect(actor).toMatchObject({ memberId: alice.memberId, sessionId: '', type: 'User', scopes: new Set(['mail']) });
    await expect(openMemberKey(house.ctx, actor)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'KEY_LOCKED',
      message: 'An app password does not open your private key. Sign in with the password of your account.',
    });
  });

  it('is signed in until the password ends, expires, or its member is suspended', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const [password, id] = await make(house, alice);
    const actor = await signIn(house, alice, password);
    const refused = { code: 'UNAUTHORIZED', message: expect.stringMatching(/app password has ended/) };
    const set = async (status: 'active' | 'suspended') =>
      await house.ctx.db.updateTable('members').set({ status }).where('id', '=', alice.memberId).execute();
    await assertStillSignedIn(house.ctx, actor);
    await set('suspended');
    await expect(assertStillSignedIn(house.ctx, actor)).rejects.toMatchObject(refused);
    await set('active');
    await assertStillSignedIn(house.ctx, actor);
    await house.ctx.db.updateTable('app_passwords').set({ expires_at: house.clock.now() }).execute();
    await expect(assertStillSignedIn(house.ctx, actor)).rejects.toMatchObject(refused);
    await house.ctx.db.updateTable('app_passwords').set({ expires_at: null }).execute();
    await house.perform(accounts.removeAppPassword, { id }, alice.token);
    await expect(assertStillSignedIn(house.ctx, actor)).rejects.toMatchObject(refused);
  });
});

describe.runIf(bothEngines.includes('postgres'))('an app password in two processes', () => {
  it('ends in both at once', async () => {
    await withTwoProcesses(async (one, other) => {
      const alice = await one.register();
      const [password, id] = await make(one, alice);
      const ended: string[] = [];
      const watching = await watchAppPasswords(other.ctx.store, {
        onEnded: (ids) => void ended.push(...ids),
        onGap: () => undefined,
      });
      const program = basic(alice.username, password);
      for (const house of [one, other]) expect((await ask(house, program)).status).toBe(200);
      await one.perform(accounts.removeAppPassword, { id }, alice.token);
      expect(await ask(other, program)).toMatchObject(wrong);
      await eventually(() => expect(ended).toEqual([id]));
      await watching[Symbol.asyncDispose]();
    });
  });
});
