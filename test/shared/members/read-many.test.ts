import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../src/shared/members/authenticate.ts';
import { block, mute, type HiddenBy } from '../../../src/shared/members/blocks.ts';
import { readMany } from '../../../src/shared/members/read-many.ts';
import { transaction } from '../../../src/service/context.ts';
import { asc, readPage, type PageRequest } from '../../../src/platform/store/page.ts';
import { listVaultMembers } from '../../../src/services/passvault/sharing/vault-members.ts';
import { openScene, type Scene } from '../../services/passvault/scene.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { engines } from '../../support/stores.ts';

async function ownerOf({ house, owner }: Scene) {
  return await authenticate(house.ctx, owner.token, { address: 'test', userAgent: 'test' }, { local: false });
}

/** Recipients of the vault, without the seconds that so many registrations take. */
async function addRecipients({ house, owner, vaultId }: Scene, count: number): Promise<string[]> {
  const { db } = house.ctx;
  const row = await db.selectFrom('members').selectAll().where('id', '=', owner.memberId).executeTakeFirstOrThrow();
  const ids = Array.from({ length: count }, (_, at) => String(at).padStart(24, '0'));
  await db
    .insertInto('members')
    .values(
      ids.map((id, at) => ({
        ...row,
        id,
        username: `Recipient-${at}`,
        username_key: `recipient-${String(at).padStart(3, '0')}`,
        email_key: id,
        public_key: id,
        mnemonic_tag: id,
      })),
    )
    .execute();
  const inVault = { vault_id: vaultId, role: 'recipient', wrapped_key: null, added_at: 1 } as const;
  await db
    .insertInto('passvault_members')
    .values(ids.map((member_id) => ({ ...inVault, member_id })))
    .execute();
  return ids;
}

describe.each(engines)('a list that is read in batches on %s', (engine) => {
  it('takes as many statements for 100 as for one', async () => {
    await using scene = await openScene(engine);
    const { ctx } = scene.house;
    const actor = await ownerOf(scene);
    const read = async () => {
      const list = async () => await listVaultMembers(ctx, actor, { vaultId: scene.vaultId });
      const { result, statements } = await ownStatements(list);
      return { members: result.members, statements: statements.length };
    };
    const one = await read();
    expect(one.members).toHaveLength(1);
    await addRecipients(scene, 99);
    const hundred = await read();
    expect(hundred.members).toHaveLength(100);
    expect(one.statements).toBeGreaterThan(0);
    expect(hundred.statements).toBe(one.statements);
    // The owner first, then by name.
    expect(hundred.members.map(({ role }) => role).slice(0, 2)).toEqual(['owner', 'recipient']);
    expect(hundred.members.slice(1).map(({ username }) => username)).toEqual(
      Array.from({ length: 99 }, (_, at) => `Recipient-${at}`),
    );
  });

  it('leaves out whom the viewer blocked, who blocked them, whom they muted and what they may not see', async () => {
    await using scene = await openScene(engine);
    const { house } = scene;
    const { ctx } = house;
    const viewer = await ownerOf(scene);
    const ids = await addRecipients(scene, 6);
    const [blocked, blocking, muted, kept] = ids as [string, string, string, string];
    await transaction(ctx, async (tx) => {
      await block(tx, viewer, blocked);
      await block(tx, { ...viewer, memberId: blocking }, viewer.memberId);
      await mute(tx, viewer, muted);
    });
    const listing = { list: 'test.list', memberId: viewer.memberId, by: [asc<{ id: string }>('id', ({ id }) => id)] };
    const read = async (hidden: HiddenBy, request: PageRequest = {}) => {
      const query = ctx.db.selectFrom('members').select('id').where('id', 'in', ids);
      return await readMany(ctx, {
        viewer: viewer.memberId,
        page: await readPage(ctx, query, listing, request),
        // One of them went meanwhile.
        rows: async (found) => found.filter(({ id }) => id !== ids[5]),
        members: ({ id }) => [id],
        hidden,
        may: ({ id }) => id !== ids[4],
        item: ({ id }, members) => members.get(id)?.username,
      });
    };
    const named = (...which: string[]) => which.map((id) => `Recipient-${ids.indexOf(id)}`);
    expect((await read('nothing')).items).toEqual(named(blocked, blocking, muted, kept));
    expect((await read('blocks')).items).toEqual(named(muted, kept));
    expect((await read('blocks and mutes')).items).toEqual(named(kept));
    // What is left out makes a page shorter, and not the last one.
    const first = await read('blocks', { limit: 2 });
    expect(first).toEqual({ items: [], next: { hasMore: true, cursor: expect.any(String) } });
    expect((await read('blocks', { limit: 2, cursor: first.next.cursor })).items).toEqual(named(muted, kept));
  });
});
