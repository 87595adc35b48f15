import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { operatorId } from '../../src/service/actor.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { accounts } from '../../src/contract/accounts.ts';
import { mail } from '../../src/contract/mail.ts';
import { passvault } from '../../src/contract/passvault.ts';
import { memoryCounter } from '../../src/http/counter.ts';
import {
  createLimits,
  unlimited,
  type Attempted,
  type LimitHeaders,
  type Limits,
  type LimitSubject,
} from '../../src/http/limits.ts';
import { sharedCounter } from '../../src/http/shared-counter.ts';
import { Problem } from '../../src/base/problem.ts';
import { silentLog } from '../../src/base/log.ts';
import { openCounterTable } from '../../src/platform/store/postgres/counters.ts';
import { collectLog } from '../support/collected-log.ts';
import { runs } from '../support/stage.ts';
import { bothEngines, createPostgresDatabase } from '../support/stores.ts';

async function configured(variables: Record<string, string> = {}): Promise<Config['limits']> {
  return (await loadConfig({ flags: {}, env: variables, home: '/nowhere', cwd: '/' })).config.limits;
}

type Op = Parameters<Limits['take']>[0];

/** Takes until it is refused: how often it went well, and what the refusal says. */
async function exhaust(
  limits: Limits,
  op: Op,
  who: LimitSubject,
  most = 100,
): Promise<{ allowed: number; problem: Problem | undefined }> {
  for (let allowed = 0; allowed < most; allowed += 1) {
    try {
      await limits.take(op, who);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { allowed, problem: error };
    }
  }
  return { allowed: most, problem: undefined };
}

/** Tries an account, by default wrongly, until that is refused: how often it went well, and what the refusal says. */
async function exhaustAttempts(
  limits: Limits,
  op: Op,
  whose: Attempted,
  most = 100,
  outcome: { readonly error?: unknown } = { error: wrong },
): Promise<{ allowed: number; problem: Problem | undefined }> {
  for (let allowed = 0; allowed < most; allowed += 1) {
    try {
      await (await limits.attempt(op, whose)).settle(outcome.error);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { allowed, problem: error };
    }
  }
  return { allowed: most, problem: undefined };
}

const wrong = new Problem('unauthenticated', 'INVALID_CREDENTIALS', 'wrong');
/** A guest's attempt on whom a name means; without an id, on nobody. */
const named = (account: string, memberId?: string, device?: string): Attempted => ({
  account,
  find: () => Promise.resolve({ memberId, device }),
});

const { login, verify, updateSettings, register, changePassword, createBackupCodes } = accounts;
const member = 'a'.repeat(24);

describe('limits in memory', () => {
  it('let ten wrong sign-ins through for an account, however it is written', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    for (let i = 0; i < 10; i += 1)
      await (await limits.attempt(login, named(i % 2 === 0 ? 'Ann' : ' ann'))).settle(wrong);
    const { allowed, problem } = await exhaustAttempts(limits, login, named('ANN'));
    expect(allowed).toBe(0);
    expect(problem).toMatchObject({ kind: 'tooMany', code: 'RATE_LIMITED' });
    expect(problem!.retryAfterSeconds).toBeGreaterThan(890);
    expect(problem!.retryAfterSeconds).toBeLessThanOrEqual(900);
    expect((await exhaustAttempts(limits, login, named('bob'), 5)).allowed).toBe(5);
  });

  it('give an account its attempts back with a success, and one with what was no wrong guess', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    const ann = named('ann', member);
    for (let round = 0; round < 3; round += 1) {
      expect((await exhaustAttempts(limits, login, ann, 9)).allowed).toBe(9);
      expect((await exhaustAttempts(limits, login, ann, 1, {})).allowed).toBe(1);
    }
    expect((await exhaustAttempts(limits, login, ann, 9)).allowed).toBe(9);
    for (const failure of [new Problem('unavailable', 'OVERLOADED', 'busy'), new Error('unexpected')])
      expect((await exhaustAttempts(limits, login, ann, 20, { error: failure })).allowed).toBe(20);
    expect((await exhaustAttempts(limits, login, ann)).allowed).toBe(1);
  });

  it('count attempts that are still going on, so that many at once are no way around', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    const going = await Promise.allSettled(
      Array.from({ length: 20 }, () => limits.attempt(login, named('ann', member))),
    );
    expect(going.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  it('count programs with app passwords apart, but for operations with a limit of their own', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    const who = { address: '203.0.113.1', memberId: member };
    const left = async (op: Op, bridge: boolean) => (await limits.take(op, { ...who, bridge }))['ratelimit-remaining'];
    expect([await left(mail.countUnread, true), await left(mail.markRead, true)]).toEqual(['2999', '2998']);
    expect([await left(mail.countUnread, false), await left(mail.markRead, false)]).toEqual(['2999', '299']);
    expect([await left(mail.send, true), await left(mail.send, false)]).toEqual(['299', '298']);
    for (let command = 0; command < 2998; command += 1) await limits.takeBridge(member);
    const exceeded = { kind: 'tooMany', code: 'RATE_LIMITED', message: expect.stringMatching(/^Too many requests/) };
    await expect(limits.takeBridge(member)).rejects.toMatchObject(exceeded);
    await expect((async () => await left(mail.countUnread, true))()).rejects.toMatchObject(exceeded);
    expect(await left(mail.countUnread, false)).toBe('2998');
    await limits.takeBridge('b'.repeat(24));
  });

  it('count wrong app passwords by password and address, and none of those who are at the machine', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    const fail = async (times: number, address: string, presented: string) => {
      for (let tries = 0; tries < times; tries += 1) await limits.appPasswordFailed(address, presented);
    };
    await fail(10, '203.0.113.1', 'AAAAAAAA');
    await expect(fail(1, '203.0.113.1', 'AAAAAAAA')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await fail(10, '203.0.113.1', 'BBBBBBBB');
    await fail(10, '203.0.113.2', 'AAAAAAAA');
    await fail(10, '2001:db8::1', 'AAAAAAAA');
    // Whoever has one address of a network has all of them.
    await expect(fail(1, '2001:db8::2', 'AAAAAAAA')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await fail(100, 'local', 'AAAAAAAA');
  });

  it('give back nothing for what is no guess', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    const made = await exhaustAttempts(limits, createBackupCodes, { memberId: member }, 100, {});
    expect(made.allowed).toBe(10);
  });

  it('count a device on which the member signed in by itself', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    const known = named('ann', member, 'd'.repeat(64));
    expect((await exhaustAttempts(limits, login, named('ann', member))).allowed).toBe(10);
    expect((await exhaustAttempts(limits, login, known)).allowed).toBe(10);
    expect((await exhaustAttempts(limits, login, named('ann', member, 'e'.repeat(64)))).allowed).toBe(10);
    // Of nobody, nothing is a device.
    expect((await exhaustAttempts(limits, login, named('nobody', undefined, 'd'.repeat(64)))).allowed).toBe(10);
  });

  it('let thirty sign-ins through from an address, whosever they are', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    let allowed = 0;
    for (; allowed < 100; allowed += 1) {
      try {
        await limits.take(login, { address: '192.0.2.1' });
      } catch {
        break;
      }
    }
    expect(allowed).toBe(30);
    expect((await exhaust(limits, login, { address: '192.0.2.2' }, 1)).allowed).toBe(1);
  });

  it('count a change of password against the member', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    expect((await exhaustAttempts(limits, changePassword, { memberId: member })).allowed).toBe(10);
    expect((await exhaustAttempts(limits, changePassword, { memberId: 'b'.repeat(24) }, 3)).allowed).toBe(3);
  });

  it('count what members try as their writes as well, since it may succeed without end', async () => {
    const limits = createLimits(await configured({ CONCLAVE_LIMITS_WRITE_PER_ACCOUNT: '5/5m' }), memoryCounter);
    const who = { address: '192.0.2.1', memberId: member };
    expect((await exhaust(limits, passvault.openVault, who)).allowed).toBe(5);
    expect((await exhaust(limits, updateSettings, who)).allowed).toBe(0);
  });

  it('count a member apart from guests who type the id of one', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    expect((await exhaustAttempts(limits, login, named(member))).allowed).toBe(10);
    expect((await exhaustAttempts(limits, changePassword, { memberId: member })).allowed).toBe(10);
    expect((await exhaustAttempts(limits, login, named('ann', member))).allowed).toBe(10);
  });

  it('count a member under all names, and say so only when they are used up', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    for (let i = 0; i < 10; i += 1) {
      const sent = {};
      await (await limits.attempt(login, named(i % 2 === 0 ? 'ann' : 'ann@example.org', member), sent)).settle(wrong);
      expect(sent).toEqual({});
    }
    const sent: Record<string, string> = {};
    const refused = limits.attempt(login, named('ann@example.org', member), sent);
    await expect(refused).rejects.toMatchObject({ kind: 'tooMany', code: 'RATE_LIMITED' });
    expect(sent).toMatchObject({ 'ratelimit-limit': '10', 'ratelimit-remaining': '0' });
  });

  it('count attempts on a vault for each member apart, so that nobody uses up those of its owner', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    const account = '0'.repeat(32);
    const { openVault, deleteVault } = passvault;
    const stranger = { memberId: 'b'.repeat(24), account };
    expect((await exhaustAttempts(limits, openVault, stranger)).allowed).toBe(10);
    const spelled = { ...stranger, account: account.toUpperCase() };
    expect((await exhaustAttempts(limits, deleteVault, spelled)).allowed).toBe(0);
    const owner = { memberId: member, account };
    expect((await exhaustAttempts(limits, openVault, owner)).allowed).toBe(10);
    expect((await exhaustAttempts(limits, openVault, { ...owner, account: '1'.repeat(32) }, 3)).allowed).toBe(3);
  });

  it('look no name up where nothing counts', async () => {
    let asked = 0;
    const whose: Attempted = {
      account: 'ann',
      async find() {
        asked += 1;
        return { memberId: member, device: undefined };
      },
    };
    await unlimited.attempt(login, whose);
    const limits = createLimits(await configured(), memoryCounter);
    await limits.attempt(verify, whose);
    expect(asked).toBe(0);
    await limits.attempt(login, whose);
    expect(asked).toBe(1);
  });

  it('count what is no operation by address', async () => {
    const limits = createLimits(await configured({ CONCLAVE_LIMITS_READ_PER_ADDRESS: '2/5m' }), memoryCounter);
    const sent: Record<string, string> = {};
    await limits.takeOther('192.0.2.1', sent);
    await limits.takeOther('192.0.2.1');
    await expect(limits.takeOther('192.0.2.1')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await limits.takeOther('192.0.2.2');
    for (let i = 0; i < 3; i += 1) await limits.takeOther('local');
    expect(sent).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1' });
    // Nor does it take reads from anybody.
    expect((await exhaust(limits, verify, { address: '192.0.2.1' })).allowed).toBe(2);
  });

  it('count those whose address is gone together', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    expect((await exhaust(limits, register, { address: 'unknown' })).allowed).toBe(10);
  });

  it('count registrations by address, and IPv6 by its /64', async () => {
    const limits = createLimits(await configured(), memoryCounter);
    expect((await exhaust(limits, register, { address: '192.0.2.1' })).allowed).toBe(10);
    for (let i = 0; i < 10; i += 1) await limits.take(register, { address: `2001:db8:0:7::${i}` });
    expect((await exhaust(limits, register, { address: '2001:0DB8::7:ffff:ffff:ffff:ffff' })).allowed).toBe(0);
    expect((await exhaust(limits, register, { address: '2001:db8:0:8::1' }, 1)).allowed).toBe(1);
  });

  it('count members as such, not by address, and apart for reads and writes', async () => {
    const limits = createLimits(
      await configured({ CONCLAVE_LIMITS_READ_PER_ACCOUNT: '7/5m', CONCLAVE_LIMITS_WRITE_PER_ACCOUNT: '5/5m' }),
      memoryCounter,
    );
    expect((await exhaust(limits, verify, { address: '192.0.2.1', memberId: member })).allowed).toBe(7);
    expect((await exhaust(limits, updateSettings, { address: '192.0.2.1', memberId: member })).allowed).toBe(5);
    expect((await exhaust(limits, verify, { address: '192.0.2.1', memberId: 'b'.repeat(24) })).allowed).toBe(7);
  });

  it('say in headers what is left of the scarcest counter', async () => {
    const limits = createLimits(
      await configured({ CONCLAVE_LIMITS_SIGN_IN_PER_ADDRESS: '4/1h', CONCLAVE_LIMITS_SIGN_IN_PER_ACCOUNT: '3/1h' }),
      memoryCounter,
    );
    const headers: LimitHeaders[] = [];
    for (let i = 0; i < 3; i += 1) headers.push(await limits.take(login, { address: '192.0.2.1' }));
    expect(headers.map((one) => [one['ratelimit-limit'], one['ratelimit-remaining']])).toEqual([
      ['4', '3'],
      ['4', '2'],
      ['4', '1'],
    ]);
    expect(Number(headers[2]!['ratelimit-reset'])).toBeGreaterThan(3590);
    expect(await limits.take(verify, { address: '192.0.2.1' })).toMatchObject({
      'ratelimit-limit': '3000',
      'ratelimit-remaining': '2999',
    });
    for (const [address, left] of [
      ['192.0.2.2', '3/2'],
      ['192.0.2.1', '4/0'],
    ] as const) {
      const sent: Record<string, string> = {};
      const memberId = address === '192.0.2.2' ? member : 'b'.repeat(24);
      await limits.take(changePassword, { address, memberId }, sent);
      await limits.attempt(changePassword, { memberId }, sent);
      expect(`${sent['ratelimit-limit']}/${sent['ratelimit-remaining']}`).toBe(left);
    }
  });

  it('start anew when their time is over', async () => {
    const limits = createLimits(await configured({ CONCLAVE_LIMITS_REGISTRATION_PER_ADDRESS: '1/1s' }), memoryCounter);
    const who = { address: '192.0.2.1' };
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    try {
      expect((await exhaust(limits, register, who)).allowed).toBe(1);
      await vi.advanceTimersByTimeAsync(1_000);
      expect((await exhaust(limits, register, who)).allowed).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('count neither the operator nor local addresses, nor anything when they are off', async () => {
    const one = await configured({
      CONCLAVE_LIMITS_REGISTRATION_PER_ADDRESS: '1/1h',
      CONCLAVE_LIMITS_WRITE_PER_ACCOUNT: '1/1h',
    });
    const limits = createLimits(one, memoryCounter);
    expect((await exhaust(limits, register, { address: 'local' }, 5)).allowed).toBe(5);
    expect((await exhaust(limits, updateSettings, { address: 'local', memberId: operatorId }, 5)).allowed).toBe(5);
    expect((await exhaust(limits, updateSettings, { address: 'local', memberId: member }, 5)).allowed).toBe(1);
    const off = createLimits(await configured({ CONCLAVE_RATE_LIMITS: 'off' }), memoryCounter);
    expect((await exhaust(off, login, { address: '192.0.2.1' })).allowed).toBe(100);
    expect((await exhaustAttempts(off, login, named('a'))).allowed).toBe(100);
    expect(await off.take(login, { address: '192.0.2.1' })).toEqual({});
  });

  it('take any text for an account', async () => {
    const config = await configured();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (account) => {
        const limits = createLimits(config, memoryCounter);
        expect((await exhaustAttempts(limits, login, named(account), 12)).allowed).toBe(10);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe.each(bothEngines.filter((engine) => engine === 'postgres'))('limits on %s', () => {
  it('are counted together by all processes, and again after the time is over', { tags: 'thorough' }, async () => {
    await using database = await createPostgresDatabase({ migrated: false });
    await using first = await openCounterTable(database.url);
    await using second = await openCounterTable(database.url);
    const config = await configured();
    const [a, b] = [first, second].map((table) =>
      createLimits(config, (prefix, rate) => sharedCounter(prefix, rate, table, silentLog)),
    );
    const ann = named('ann@example.org', member);
    const all = await Promise.allSettled(
      Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? a! : b!).attempt(login, ann)),
    );
    const going = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(going).toHaveLength(10);
    await Promise.all(going.map((attempt) => attempt.settle(wrong)));
    expect((await exhaustAttempts(b!, login, ann)).allowed).toBe(0);
    const left = await a!.take(login, { address: '192.0.2.1' });
    expect(left).toMatchObject({ 'ratelimit-limit': '30', 'ratelimit-remaining': '29' });

    // What a success at one of them frees is free at the other.
    const bob = named('bob', 'b'.repeat(24));
    expect((await exhaustAttempts(a!, login, bob, 9)).allowed).toBe(9);
    expect((await exhaustAttempts(b!, login, bob, 1, {})).allowed).toBe(1);
    expect((await exhaustAttempts(a!, login, bob, 9)).allowed).toBe(9);
    expect((await exhaustAttempts(b!, login, bob, 20, { error: new Error('unexpected') })).allowed).toBe(20);
    expect((await exhaustAttempts(a!, login, bob)).allowed).toBe(1);
  });

  it('hold nobody’s e-mail address in the table', async () => {
    await using database = await createPostgresDatabase({ migrated: false });
    await using table = await openCounterTable(database.url);
    const limits = createLimits(await configured(), (prefix, rate) => sharedCounter(prefix, rate, table, silentLog));
    await limits.take(login, { address: '192.0.2.1' });
    await limits.attempt(login, named(`${'x'.repeat(240)}@example.org`));
    const { rows } = await table.query({ text: 'select key from rate_limits order by key' });
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain('example');
  });

  it('go on in this process alone while the database is away', { tags: 'thorough' }, async () => {
    const database = await createPostgresDatabase({ migrated: false });
    const table = await openCounterTable(database.url);
    const log = collectLog();
    const limits = createLimits(await configured(), (prefix, rate) => sharedCounter(prefix, rate, table, log));
    await database[Symbol.asyncDispose]();
    expect((await exhaust(limits, register, { address: '192.0.2.1' })).allowed).toBe(10);
    for (const outcome of [wrong, new Error('unexpected'), undefined])
      await (await limits.attempt(login, named('ann', member))).settle(outcome);
    expect(log.lines.map(({ level }) => level)).toContain('warn');
    await table[Symbol.asyncDispose]();
  });
});
