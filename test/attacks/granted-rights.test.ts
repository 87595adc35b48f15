import { describe, expect, it } from 'vitest';
import { accounts } from '../../src/contract/accounts.ts';
import { chatFrames } from '../../src/contract/chat/events.ts';
import { members } from '../../src/contract/accounts/members.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { scopes, type Scope } from '../../src/contract/scopes.ts';
import {
  approvalNeeded,
  botMay,
  botMayAnywhere,
  codeOf,
  operations,
  pathOf,
  granting,
  inPart,
  keyNeeded,
  noApproval,
  withinScope,
} from './granting.ts';
import { openHouse, type House } from '../support/house.ts';
import type { HouseMember } from '../support/prepared-member.ts';

const granted = Object.values(granting).flat();
const rights = granted.map((id) => operations.find((op) => op.id === id) ?? id);

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

async function program(house: House, { token, username }: HouseMember): Promise<Record<string, string>> {
  const input = { name: 'Every scope', scopes: Object.keys(scopes) as Scope[] };
  const { body } = await house.perform(accounts.createAppPassword, input, token);
  return { authorization: basic(username, body.password as string) };
}

describe('operations that give rights', () => {
  it('are all listed here, or are known to give none', () => {
    expect(rights.filter((op) => typeof op === 'string')).toEqual([]);
    const changing = operations.filter(({ method, scope }) => method !== 'GET' && scope !== undefined);
    expect(changing.map(({ id }) => id).toSorted()).toEqual([...withinScope, ...inPart].toSorted());
  });

  it('are none of those that bot tokens may perform', () => {
    const rightOf = (right: 'read' | 'write') => operations.filter(({ bot }) => bot === right).map(({ id }) => id);
    expect({ read: rightOf('read').toSorted(), write: rightOf('write').toSorted() }).toEqual(botMay);
    const anywhere = operations.filter(({ bot, path }) => bot !== undefined && !path.includes('/:conversationId/'));
    expect(anywhere.map(({ id }) => id).toSorted()).toEqual(botMayAnywhere);
    expect(operations.filter(({ id, bot }) => granted.includes(id) && bot !== undefined)).toEqual([]);
    const frames = Object.values(chatFrames).map(({ type, ...frame }) => [type, 'bot' in frame ? frame.bot : 'never']);
    expect(Object.fromEntries(frames)).toEqual({
      'message:send': 'write',
      'message:typing': 'write',
      'message:read': 'never',
      'presence:set': 'never',
      'presence:watch': 'never',
      'subscribe:conversation': 'read',
      'unsubscribe:conversation': 'read',
    });
  });

  it('say whether approvals are needed, or why that means nothing, and whether the private key is', () => {
    const cells = [...Object.values(approvalNeeded), ...Object.values(noApproval)].flat();
    expect(cells.toSorted()).toEqual([...granted, ...inPart].toSorted());
    const locked = operations.filter(
      ({ id, errors }) => [...granted, ...inPart].includes(id) && errors.includes('KEY_LOCKED'),
    );
    expect(locked.map(({ id }) => id).toSorted()).toEqual(keyNeeded.toSorted());
  });

  it('refuse app passwords of every scope', async () => {
    await using house = await openHouse('sqljs');
    const headers = await program(house, await house.register());
    const answers = [];
    for (const op of rights as Operation[]) {
      const { status, body } = await house.api(op.method, pathOf(op), { headers, body: {} });
      answers.push([op.id, status, codeOf(body)]);
    }
    expect(answers).toEqual(granted.map((id) => [id, 403, 'INSUFFICIENT_SCOPE']));
  });

  it('refuse members who were suspended', async () => {
    await using house = await openHouse('sqljs');
    const [admin, member] = [await house.administrator(), await house.register()];
    await house.perform(members.suspend, { memberId: member.memberId }, admin.token);
    const answers = [];
    for (const op of rights as Operation[]) {
      const { status } = await house.api(op.method, pathOf(op), { token: member.token, body: {} });
      answers.push([op.id, status]);
    }
    expect(answers.filter(([, status]) => status !== 401)).toEqual([]);
  });
});

describe('an app password', () => {
  it('makes and changes no rule that forwards, also not by what stands before it', async () => {
    await using house = await openHouse('sqljs');
    const alice = await house.register({ username: 'alice' });
    const headers = await program(house, alice);
    const forward = {
      name: 'away',
      conditions: { from: 'bob' },
      actions: { forwardTo: [{ localPart: 'carol', domain: 'other.example' }] },
    };
    const stop = { name: 'stay', conditions: { subject: 'private' }, actions: { flag: true }, stop: true };
    const label = { name: 'label', conditions: { subject: 'list' }, actions: { addLabels: ['list'] } };
    const put = async (rules: readonly object[], by: object) => {
      const { status, body } = await house.api('PUT', '/api/emails/rules', { body: { rules }, ...by });
      return [status, codeOf(body)];
    };
    const refused = [403, 'INSUFFICIENT_SCOPE'];
    const done = [200, undefined];
    expect(await put([label], { headers })).toEqual(done);
    expect(await put([forward], { headers })).toEqual(refused);
    expect(await put([{ ...forward, enabled: false }], { headers })).toEqual(refused);
    expect(await put([stop, forward, label], { token: alice.token })).toEqual(done);
    expect(await put([forward, label], { headers })).toEqual(refused);
    expect(await put([stop, { ...forward, conditions: { from: 'b' } }, label], { headers })).toEqual(refused);
    expect(await put([label, stop, forward], { headers })).toEqual(refused);
    expect(await put([stop, forward, { ...label, name: 'lists' }], { headers })).toEqual(done);
    expect(await put([stop], { headers })).toEqual(done);
    expect(await put([stop, forward], { headers })).toEqual(refused);
  });

  it('lowers no number of approvals', async () => {
    await using house = await openHouse('sqljs');
    const alice = await house.register();
    const headers = await program(house, alice);
    const made = await house.api('POST', '/filevault/vaults', { token: alice.token, body: { name: 'Home' } });
    const change = async (approvals: object) =>
      await house.api('PATCH', `/filevault/vaults/${(made.body as { id: string }).id}`, {
        headers,
        body: { approvals },
      });
    expect((await change({ externalShare: 2 })).status).toBe(200);
    const { status, body } = await change({ externalShare: 1 });
    expect([status, codeOf(body)]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });

  it('is told of to its member when it is made, as a rule that forwards is', async () => {
    await using house = await openHouse('sqljs');
    const alice = await house.register();
    await program(house, alice);
    house.clock.advance(1);
    const actions = { forwardTo: [{ localPart: 'carol', domain: 'other.example' }] };
    const rules = [{ name: 'away', conditions: { from: 'bob' }, actions }];
    for (let times = 0; times < 2; times += 1)
      await house.api('PUT', '/api/emails/rules', { token: alice.token, body: { rules } });
    const { body } = await house.api('GET', '/api/social/notifications', { token: alice.token });
    const { notifications } = (body as { data: { notifications: { type: string; content: string }[] } }).data;
    const alerts = notifications.filter(({ type }) => type === 'security_alert').map(({ content }) => content);
    expect(alerts).toEqual([
      'A rule now forwards mail of yours to carol@other.example. If that was not you, change your password and remove the rule.',
      'An app password was made for your account: "Every scope". If that was not you, change your password and remove it.',
    ]);
  });
});
