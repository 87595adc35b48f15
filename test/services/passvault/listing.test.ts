import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../src/shared/members/authenticate.ts';
import { listVaults } from '../../../src/services/passvault/vaults/vaults.ts';
import { nameSealer } from '../../../src/services/passvault/vaults/sealing.ts';
import { recordId } from '../../../src/platform/store/record-id.ts';
import { ownStatements } from '../../support/own-statements.ts';
import { bothEngines } from '../../support/stores.ts';
import { masterPassword, openScene, type Scene } from './scene.ts';

/** Further vaults of the owner, without half a second for the keys of each. */
async function addVaults({ house, vaultId }: Scene, count: number): Promise<void> {
  const { db, clock, random, ...rest } = house.ctx;
  const vault = await db.selectFrom('passvault_vaults').selectAll().where('id', '=', vaultId).executeTakeFirstOrThrow();
  for (let at = 0; at < count; at += 1) {
    const id = recordId(clock.now(), random);
    const name = nameSealer({ ...rest, db, clock, random }).seal(id, `Vault ${at}`);
    const member = { vault_id: id, member_id: vault.owner_id, role: 'owner', wrapped_key: null, added_at: 0 } as const;
    await db
      .insertInto('passvault_vaults')
      .values({ ...vault, id, name, name_key: null })
      .execute();
    await db.insertInto('passvault_members').values(member).execute();
  }
}

/** How many statements the owner's list takes. */
async function statementsOf({ house, owner }: Scene): Promise<number> {
  const { ctx } = house;
  const actor = await authenticate(ctx, owner.token, { address: 'test', userAgent: 'test' }, { local: false });
  const { statements } = await ownStatements(async () => await listVaults(ctx, actor, {}));
  return statements.length;
}

/** Two that were made in one millisecond come in any order. */
function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}

describe.each(bothEngines)('the list of vaults on %s', (engine) => {
  it('says whose each is, who else has it and what the caller is in it', async () => {
    await using scene = await openScene(engine);
    const [bob, carol] = [await scene.house.register(), await scene.house.register()];
    await scene.in('POST', '/share', { recipientMemberIds: [bob.memberId, carol.memberId] });
    const made = await scene.call('POST', '/vaults', { name: 'Bücher 📚', masterPassword }, bob.token);
    await scene.login();

    const listOf = async (token: string) => (await scene.call('GET', '/vaults', undefined, token)).body.data.vaults;
    const shared = {
      id: scene.vaultId,
      name: 'Home',
      ownerId: scene.owner.memberId,
      entryCount: 1,
      sharedWith: [bob.memberId, carol.memberId].toSorted(),
    };
    expect(await listOf(scene.owner.token)).toMatchObject([{ ...shared, role: 'owner', open: true }]);
    expect(await listOf(carol.token)).toMatchObject([{ ...shared, role: 'recipient', open: false }]);
    expect((await listOf(bob.token)).toSorted(byName)).toMatchObject([
      {
        id: made.body.data.vault.id,
        name: 'Bücher 📚',
        ownerId: bob.memberId,
        entryCount: 0,
        sharedWith: [],
        role: 'owner',
        open: true,
      },
      { ...shared, role: 'recipient', open: false },
    ]);
    const { created_at, updated_at } = await scene.house.ctx.db
      .selectFrom('passvault_vaults')
      .select(['created_at', 'updated_at'])
      .where('id', '=', scene.vaultId)
      .executeTakeFirstOrThrow();
    const times = { createdAt: new Date(created_at).toISOString(), modifiedAt: new Date(updated_at).toISOString() };
    expect(await listOf(carol.token)).toMatchObject([times]);
  });

  it('takes as many statements for many as for one', async () => {
    await using scene = await openScene(engine);
    const one = await statementsOf(scene);
    await addVaults(scene, 20);
    expect((await scene.call('GET', '/vaults')).body.data.vaults).toHaveLength(21);
    expect(one).toBeGreaterThan(0);
    expect(await statementsOf(scene)).toBe(one);
  });

  it('shows no name that was changed, or is that of another vault', async () => {
    await using scene = await openScene(engine);
    await addVaults(scene, 1);
    const { db } = scene.house.ctx;
    const names = await db.selectFrom('passvault_vaults').select(['id', 'name']).orderBy('id').execute();
    const status = async (id: string, name: Uint8Array) => {
      await db.updateTable('passvault_vaults').set({ name }).where('id', '=', id).execute();
      return (await scene.call('GET', '/vaults')).status;
    };
    const [first, second] = names;
    if (first === undefined || second === undefined) throw new Error('two vaults are there');
    expect(await status(second.id, first.name)).toBe(500);
    for (let at = 0; at < second.name.length; at += 1)
      expect(
        await status(
          second.id,
          second.name.map((byte, index) => (index === at ? byte ^ 1 : byte)),
        ),
      ).toBe(500);
    expect(await status(second.id, second.name)).toBe(200);
  });
});
