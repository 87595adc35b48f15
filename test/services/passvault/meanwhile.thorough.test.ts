import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/contract/operation.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { masterPassword, openScene, said, shareWith, type Scene } from './scene.ts';
import { allRows } from './store-contents.ts';

/** All that the store has of vaults and of what is open, but for times of use and blocks that wait to be deleted. */
async function stateOf({ house }: Scene): Promise<unknown> {
  const tables = await allRows(house.ctx, /^(?:passvault_(?!block)|ledger_entries|session_secrets)/);
  return [...tables].map(([name, rows]) => [
    name,
    rows.map((row) => JSON.stringify({ ...row, used_at: undefined })).toSorted(),
  ]);
}

interface Stage extends Scene {
  /** has no vault, but may be given this one */
  readonly friend: HouseMember;
  /** has the vault too */
  readonly other: HouseMember;
  /** another session of the owner, with the vault open */
  readonly second: string;
  readonly entryId: string;
  readonly attachmentId: string;
}

async function openStage(engine: EngineName): Promise<Stage> {
  const scene = await openScene(engine);
  const [friend, other] = [await scene.house.register(), await scene.house.register()];
  await scene.in('POST', '/share', { recipientMemberIds: [other.memberId] });
  const second = await scene.house.signIn(scene.owner);
  await scene.in('POST', '/open', { masterPassword }, second);
  const entryId = await scene.login({ siteUrl: 'https://bank.example' });
  const { attachment } = await scene.in('POST', `/entries/${entryId}/attachments`, { filename: 'a', content: 'YQ==' });
  return { ...scene, friend, other, second, entryId, attachmentId: attachment.id };
}

type Call = readonly [method: Method, path: string, body?: object];

const csv = Buffer.from('name,url,username,password\na,b,c,d\n').toString('base64');
/** What whoever has the vault may do in it, and only when it is open for them. */
const inTheVault: Readonly<Record<string, (stage: Stage) => Call>> = {
  'make an entry': () => ['POST', '/entries', { type: 'login', title: 'x' }],
  'read an entry': ({ entryId }) => ['GET', `/entries/${entryId}`],
  'change an entry': ({ entryId }) => ['PUT', `/entries/${entryId}`, { password: 'next' }],
  'delete an entry': ({ entryId }) => ['DELETE', `/entries/${entryId}`],
  import: () => ['POST', '/import', { format: 'browserA_csv', fileContent: csv }],
  'add an attachment': ({ entryId }) => ['POST', `/entries/${entryId}/attachments`, { filename: 'b', content: 'Yg==' }],
  'read an attachment': ({ entryId, attachmentId }) => ['GET', `/entries/${entryId}/attachments/${attachmentId}`],
  'remove an attachment': ({ entryId, attachmentId }) => ['DELETE', `/entries/${entryId}/attachments/${attachmentId}`],
  'fill in': () => ['POST', '/autofill', { siteUrl: 'https://bank.example' }],
  check: () => ['GET', '/health?breaches=skip'],
  export: () => ['GET', '/export'],
};
/** What reads, what seals and what takes long stand for the others before the last stage, which ask the same of the store. */
const few = ['make an entry', 'read an entry', 'import', 'add an attachment'];
const whats = inStage(few, few, Object.keys(inTheVault));
/** What its owner alone may do. */
const byTheOwner: Readonly<Record<string, (stage: Stage & { readonly stranger: HouseMember }) => Call>> = {
  share: ({ stranger }) => ['POST', '/share', { recipientMemberIds: [stranger.memberId] }],
  'revoke a share': ({ other }) => ['POST', '/revoke-share', { memberId: other.memberId }],
  'name trustees': ({ other }) => ['POST', '/emergency-access', { threshold: 1, trustees: [other.memberId] }],
  'change the master password': () => [
    'POST',
    '/change-master-password',
    { masterPassword, newMasterPassword: 'the next master password' },
  ],
  'delete the vault': () => ['DELETE', '', { masterPassword }],
};

/** Where the vault is deleted: who changes its key, its password and itself. */
const fewOfOwners = ['share', 'change the master password', 'delete the vault'];

/** The request as `token`, with `change` between what it prepares and its transaction; what it says, and that it did nothing. */
async function refused(stage: Stage, [method, path, body]: Call, token: string, change: () => Promise<unknown>) {
  let after: unknown;
  const came = stage.house.meanwhile(async () => {
    await change();
    after = await stateOf(stage);
  });
  const answer = said(await stage.call(method, `/vaults/${stage.vaultId}${path}`, body, token));
  expect(came()).toBe(true);
  expect(await stateOf(stage)).toEqual(after);
  return answer;
}

const endSessions = async ({ house }: Scene, member: HouseMember) =>
  await house.ctx.store.transaction(async (db) => {
    const ended = await db.deleteFrom('sessions').where('member_id', '=', member.memberId).executeTakeFirst();
    expect(ended.numDeletedRows).not.toBe(0n);
  });

describe.each(engines)('what changes between the preparation and the transaction of a vault on %s', (engine) => {
  it('keeps a member whose share is revoked, or whose session ends, from all that is done in a vault', async () => {
    await using stage = await openStage(engine);
    const { friend } = stage;
    await shareWith(stage, friend);
    let first = friend.token;
    for (const what of whats) {
      const call = inTheVault[what]!;
      const revoke = async () => await stage.in('POST', '/revoke-share', { memberId: friend.memberId });
      expect([what, await refused(stage, call(stage), first, revoke)]).toEqual([what, '404 VAULT_NOT_FOUND']);
      await stage.in('POST', '/share', { recipientMemberIds: [friend.memberId] });
      const token = await stage.house.signIn(friend);
      await stage.in('POST', '/open', { masterPassword: friend.password }, token);
      const end = async () => await endSessions(stage, friend);
      expect([what, await refused(stage, call(stage), token, end)]).toEqual([what, '401 VAULT_LOCKED']);
      first = await stage.house.signIn(friend);
      await stage.in('POST', '/open', { masterPassword: friend.password }, first);
    }
  });

  it('keeps out what was sealed under the former key', async () => {
    await using stage = await openStage(engine);
    const [friend, stranger] = [await stage.house.register(), await stage.house.register()];
    const calls: typeof byTheOwner = { ...inTheVault, ...byTheOwner };
    for (const what of ['share', 'name trustees', 'import', 'add an attachment']) {
      await stage.in('POST', '/share', { recipientMemberIds: [friend.memberId] });
      const revoke = async () => await stage.in('POST', '/revoke-share', { memberId: friend.memberId });
      const answer = await refused(stage, calls[what]!({ ...stage, stranger }), stage.second, revoke);
      expect([what, answer]).toEqual([what, '401 VAULT_LOCKED']);
      await stage.in('POST', '/open', { masterPassword }, stage.second);
    }
  });

  it('keeps an owner whose session ends from all that is for owners', async () => {
    await using stage = await openStage(engine);
    const stranger = await stage.house.register();
    for (const [what, call] of Object.entries(byTheOwner)) {
      const token = await stage.house.signIn(stage.owner);
      await stage.in('POST', '/open', { masterPassword }, token);
      const end = async () => await endSessions(stage, stage.owner);
      // Some ask whether the vault is open, and others whether somebody is signed in.
      const answer = await refused(stage, call({ ...stage, stranger }), token, end);
      const closed = ['share', 'revoke a share', 'name trustees'].includes(what);
      expect([what, answer]).toEqual([what, closed ? '401 VAULT_LOCKED' : '401 UNAUTHORIZED']);
    }
  });

  it.each(inStage(fewOfOwners, fewOfOwners, Object.keys(byTheOwner)))(
    'keeps them from a vault that is deleted: %s',
    async (what) => {
      await using stage = await openStage(engine);
      const stranger = await stage.house.register();
      const call = byTheOwner[what]!({ ...stage, stranger });
      const answer = await refused(
        stage,
        call,
        stage.second,
        async () => await stage.call('DELETE', `/vaults/${stage.vaultId}`, { masterPassword }),
      );
      expect(answer).toBe('404 VAULT_NOT_FOUND');
    },
  );

  it.each([
    ['revoke a share', '401 VAULT_LOCKED'],
    ['change the master password', '401 INVALID_MASTER_PASSWORD'],
    ['delete the vault', '401 INVALID_MASTER_PASSWORD'],
  ])('is not overtaken by a master password that no longer counts: %s', async (what, expected) => {
    await using stage = await openStage(engine);
    const newMasterPassword = 'another master password';
    const [method, path, body] = byTheOwner[what]!({ ...stage, stranger: stage.friend });
    const came = stage.house.meanwhile(
      async () =>
        await stage.in('POST', '/change-master-password', { masterPassword, newMasterPassword }, stage.second),
    );
    const answer = await stage.call(method, `/vaults/${stage.vaultId}${path}`, body);
    expect(came()).toBe(true);
    expect(said(answer)).toBe(expected);
    await stage.in('POST', '/open', { masterPassword: newMasterPassword }, stage.second);
    expect((await stage.in('GET', '/entries', undefined, stage.second)).entries).toHaveLength(1);
  });

  it('opens a vault that is encrypted anew under the key that it has then', async () => {
    await using stage = await openStage(engine);
    for (const [token, password] of [
      [await stage.house.signIn(stage.owner), masterPassword],
      [await stage.house.signIn(stage.other), stage.other.password],
    ] as const) {
      const leaving = await stage.house.register();
      await stage.in('POST', '/share', { recipientMemberIds: [leaving.memberId] });
      const came = stage.house.meanwhile(
        async () => await stage.in('POST', '/revoke-share', { memberId: leaving.memberId }),
      );
      await stage.in('POST', '/open', { masterPassword: password }, token);
      expect(came()).toBe(true);
      expect((await stage.in('GET', `/entries/${stage.entryId}`, undefined, token)).entry.password).toBe('a password');
    }
  });

  it('opens no vault with a master password that was changed', async () => {
    await using stage = await openStage(engine);
    const token = await stage.house.signIn(stage.owner);
    const newMasterPassword = 'another master password';
    const answer = await refused(
      stage,
      ['POST', '/open', { masterPassword }],
      token,
      async () => await stage.in('POST', '/change-master-password', { masterPassword, newMasterPassword }),
    );
    expect(answer).toBe('401 INVALID_MASTER_PASSWORD');
  });

  it('opens no vault for a member whose share is revoked, and none for a session that ended', async () => {
    await using stage = await openStage(engine);
    const { friend, owner } = stage;
    await stage.in('POST', '/share', { recipientMemberIds: [friend.memberId] });
    const token = await stage.house.signIn(friend);
    const opening: Call = ['POST', '/open', { masterPassword: friend.password }];
    const revoke = async () => await stage.in('POST', '/revoke-share', { memberId: friend.memberId });
    expect(await refused(stage, opening, token, revoke)).toBe('404 VAULT_NOT_FOUND');
    const late = await stage.house.signIn(owner);
    expect(
      await refused(stage, ['POST', '/open', { masterPassword }], late, async () => await endSessions(stage, owner)),
    ).toBe('401 UNAUTHORIZED');
  });

  it('wraps no key that is the former one by then under a new master password', async () => {
    await using stage = await openStage(engine);
    const { friend, owner, second, entryId } = stage;
    await stage.in('POST', '/share', { recipientMemberIds: [friend.memberId] });
    const call = byTheOwner['change the master password']!({ ...stage, stranger: friend });
    const revoke = async () => await stage.in('POST', '/revoke-share', { memberId: friend.memberId }, second);
    expect(await refused(stage, call, owner.token, revoke)).toBe('401 INVALID_MASTER_PASSWORD');
    await stage.in('POST', '/open', { masterPassword }, second);
    expect((await stage.in('GET', `/entries/${entryId}`, undefined, second)).entry.password).toBe('a password');
  });

  it('revokes no share that is gone by then', async () => {
    await using stage = await openStage(engine);
    const { memberId } = stage.other;
    // As a member who is removed takes it along: nothing else but a revocation ends a share, and that changes the key.
    const leave = async () =>
      await stage.house.ctx.store.transaction(async (db) => {
        const gone = await db.deleteFrom('passvault_members').where('member_id', '=', memberId).executeTakeFirst();
        expect(gone.numDeletedRows).toBe(1n);
      });
    const revoking: Call = ['POST', '/revoke-share', { memberId }];
    expect(await refused(stage, revoking, stage.owner.token, leave)).toBe('400 VALIDATION_ERROR');
  });

  it('makes no vault for a session that ended', async () => {
    await using stage = await openStage(engine);
    let after: unknown;
    stage.house.meanwhile(async () => {
      await endSessions(stage, stage.owner);
      after = await stateOf(stage);
    });
    const made = await stage.call('POST', '/vaults', { name: 'Late', masterPassword });
    expect(said(made)).toBe('401 UNAUTHORIZED');
    expect(await stateOf(stage)).toEqual(after);
  });
});
