import { transaction } from '../../../src/service/context.ts';
import { operatorId } from '../../../src/service/actor.ts';
import { canonicalJson } from '../../../src/crypto/canonical-json.ts';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../../src/crypto/key-pair.ts';
import { deriveIdentity } from '../../../src/crypto/identity.ts';
import { mnemonicToSeed } from '../../../src/crypto/mnemonic.ts';
import { hashOfAction, linkStatement } from '../../../src/crypto/formats/quorum/statements.ts';
import { sign } from '../../../src/crypto/signature.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { columnTypes } from '../../../src/platform/store/migrations/column-types.ts';
import { up as verifiedAddresses } from '../../../src/platform/store/migrations/0058-verified-addresses.ts';
import { record } from '../../../src/services/quorum/audit/record.ts';
import { holdEpoch } from '../../../src/services/quorum/members/epochs.ts';
import { admit } from '../../../src/services/quorum/members/membership.ts';
import type { ApiAnswer } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { confirmAddress, type QuorumScene } from './scene.ts';
import { decided } from './governing.ts';

/** A member of before, who can still sign. */
interface Linked extends HouseMember {
  /** of the member of the quorum */
  readonly id: string;
  link(): Promise<ApiAnswer>;
}

type Names = 'ann' | 'bob' | 'cyd' | 'dan';

/**
 * Members of a store that is older than version 58: Ann and Bob by an address, Cyd by an address and a signature, and Dan by a proposal that
 * named only the address. The store is brought up to date after that.
 */
export async function linkedBefore(scene: QuorumScene, engine: EngineName): Promise<Readonly<Record<Names, Linked>>> {
  const { house } = scene;
  const ann = await linked(scene, 'Ann', generateKeyPair());
  const bob = await linked(scene, 'Bob', generateKeyPair());
  const cyd = await linked(scene, 'Cyd', generateKeyPair());
  await unlink(scene, cyd.id);
  if ((await cyd.link()).status !== 200) throw new Error('no link');
  const account = await house.register();
  await confirmAddress(scene, account);
  const { status, id } = await decided(scene, 'ADD_MEMBER', { name: 'Dan', email: account.email });
  if (status !== 'executed') throw new Error(status);
  const { privateKey } = deriveIdentity(await mnemonicToSeed(account.mnemonic));
  const dan = linkable(scene, { ...account, id: account.memberId }, privateKey);
  await house.ctx.store.exclusively(async (db) => {
    await db.schema.dropTable('quorum_unverified_links').execute();
    await db.schema.alterTable('members').dropColumn('verified_email_key').execute();
    const { integer } = columnTypes[engine];
    await db.schema
      .alterTable('members')
      .addColumn('email_verified', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    // Rows that were damaged stop no upgrade.
    const proposal = await db.selectFrom('quorum_proposals').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const [one, two] = ['1'.repeat(32), '2'.repeat(32)];
    const damaged = [
      { ...proposal, id: one, action_payload: '{' },
      { ...proposal, id: two, action_payload: 'null' },
    ];
    await db.insertInto('quorum_proposals').values(damaged).execute();
    await verifiedAddresses(db, columnTypes[engine]);
    await db.deleteFrom('quorum_proposals').where('id', 'in', [one, two]).execute();
  });
  return { ann, bob, cyd, dan };
}

/** Linked by the address alone, past what is checked now. */
async function linked(scene: QuorumScene, name: string, { publicKey, privateKey }: KeyPair): Promise<Linked> {
  const { ctx } = scene.house;
  const account = await scene.house.register();
  const row = await transaction(ctx, async (tx) => {
    const { memberId: accountId, email } = account;
    const candidate = { publicKey: toHex(publicKey), name, email, accountId };
    const admission = await admit(tx, await holdEpoch(tx), candidate, null);
    const subject = `member/${admission.row.id}`;
    await record(tx, operatorId, { action: 'MEMBER_ADDED', subject }, admission.changed);
    return admission.row;
  });
  return linkable(scene, { ...account, id: row.id }, privateKey);
}

function linkable(scene: QuorumScene, member: Omit<Linked, 'link'>, privateKey: Uint8Array): Linked {
  const { id: memberId, memberId: accountId, token } = member;
  const statement = linkStatement({ nodeId: scene.house.ctx.keys.nodeId, memberId, accountId });
  const signature = toHex(sign(privateKey, statement));
  return { ...member, link: async () => await scene.call('POST', `/members/${memberId}/link`, { signature }, token) };
}

async function unlink({ house: { ctx } }: QuorumScene, id: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    await tx.db.updateTable('quorum_members').set({ account_id: null }).where('id', '=', id).execute();
    await record(tx, operatorId, { action: 'MEMBER_LINKED', subject: `member/${id}` }, [['quorum_members', id]]);
  });
}

/** Makes a proposal what it was before version 58: it says nothing of why it has its account. */
export async function before({ house: { ctx } }: QuorumScene, proposalId: string): Promise<void> {
  const proposals = ctx.db.selectFrom('quorum_proposals').selectAll().where('id', '=', proposalId);
  const { action_type: type, action_payload: text } = await proposals.executeTakeFirstOrThrow();
  const { linkedBy: _, ...payload } = JSON.parse(text) as Record<string, unknown>;
  await ctx.db
    .updateTable('quorum_proposals')
    .set({ action_payload: canonicalJson(payload), action_hash: hashOfAction(type, payload) })
    .where('id', '=', proposalId)
    .execute();
}
