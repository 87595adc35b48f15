import { describe, expect, it } from 'vitest';
import { accounts } from '../../src/contract/accounts.ts';
import { members } from '../../src/contract/accounts/members.ts';
import { topics } from '../../src/contract/all.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { scopes, type Scope } from '../../src/contract/scopes.ts';
import { openHouse, type House } from '../support/house.ts';
import type { HouseMember } from '../support/prepared-member.ts';

/** Every operation that gives somebody a right, a key or a vote, by what it gives. None of them may be reached with an app password. */
const granting: Readonly<Record<string, readonly string[]>> = {
  share: ['filevault.share', 'filevault.add-keys', 'passvault.share'],
  link: ['filevault.create-link'],
  'access list': ['filevault.put-acl', 'filevault.create-permission-set', 'pool.update-acl', 'pool.sign-acl'],
  branch: ['pool.adopt-branch'],
  approval: ['filevault.request-approval', 'filevault.approve', 'filevault.reject', 'filevault.cancel-approval'],
  canary: ['filevault.create-canary', 'filevault.change-canary', 'filevault.check-in'],
  release: ['filevault.release-quarantined'],
  trustee: ['passvault.configure-emergency-access', 'passvault.emergency-recover'],
  'role or account': ['members.promote', 'members.confirm-email', 'members.restore', 'account.change-password'],
  'app password': ['account.create-app-password'],
  codes: ['account.create-backup-codes', 'account.replace-backup-codes'],
  'node or token': ['pool.approve-node', 'pool.unban-node', 'pool.create-token', 'pool.join'],
  quorum: [
    'quorum.add-member',
    'quorum.link-member',
    'quorum.seal',
    'quorum.open-session',
    'quorum.contribute',
    'quorum.begin-reshare',
    'quorum.create-proposal',
    'quorum.cast-vote',
  ],
  hub: [
    'social.create-hub',
    'social.update-hub',
    'social.transfer-hub',
    'social.join-hub',
    'social.add-hub-members',
    'social.add-moderator',
    'social.unban-member',
  ],
  follower: ['social.approve-follow-request', 'social.unblock', 'social.update-profile'],
  'list of readers': ['social.add-to-category'],
  listener: ['notifications.add-push-subscription', 'realtime.create-ticket'],
};

/** What programs may do with an app password that changes something: it ends, or stays within what the scope names. */
const withinScope = [
  'filevault.abort-upload',
  'filevault.begin-upload',
  'filevault.change-file',
  'filevault.check-container',
  'filevault.create-container',
  'filevault.create-folder',
  'filevault.finalize-upload',
  'filevault.lock-container',
  'filevault.move',
  'filevault.put-chunk',
  'filevault.put-upload-key',
  'filevault.remove-file',
  'filevault.remove-folder',
  'filevault.rename-folder',
  'filevault.restore-file',
  'filevault.restore-folder',
  'filevault.restore-version',
  'filevault.revoke-link',
  'filevault.revoke-share',
  'filevault.unlock-container',
  'mail.cancel',
  'mail.change',
  'mail.create-draft',
  'mail.forward',
  'mail.import',
  'mail.mark-read',
  'mail.mark-unread',
  'mail.remove',
  'mail.reply',
  'mail.send',
  'mail.send-draft',
  'mail.send-raw',
  'mail.update-draft',
  'mail.upload',
];

/** What asks inside, because only a part of it grants something. Each has its own test here. */
const inPart = ['filevault.change-container', 'mail.put-rules'];

const operations: Operation[] = Object.values(topics).flatMap(({ contract }): Operation[] => Object.values(contract));
const granted = Object.values(granting).flat();
const rights = granted.map((id) => operations.find((op) => op.id === id) ?? id);

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

async function program(house: House, { token, username }: HouseMember): Promise<Record<string, string>> {
  const input = { name: 'Every scope', scopes: Object.keys(scopes) as Scope[] };
  const { body } = await house.perform(accounts.createAppPassword, input, token);
  return { authorization: basic(username, body.password as string) };
}

const pathOf = ({ path }: Operation) => path.replaceAll(/[:*]\w+/g, 'f'.repeat(24));

const codeOf = (body: { readonly error?: unknown }) =>
  typeof body.error === 'string' ? body.error : (body.error as { code?: string } | undefined)?.code;

describe('operations that give rights', () => {
  it('are all listed here, or are known to give none', () => {
    expect(rights.filter((op) => typeof op === 'string')).toEqual([]);
    const changing = operations.filter(({ method, scope }) => method !== 'GET' && scope !== undefined);
    expect(changing.map(({ id }) => id).toSorted()).toEqual([...withinScope, ...inPart].toSorted());
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
