import { toHex } from '../../../src/crypto/bytes.ts';
import type { House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { keysOf, type Person, type QuorumScene } from './scene.ts';
import { opened, sealedFor } from './sealing.ts';

interface Filled {
  readonly house: House;
  /** an account */
  readonly owner: HouseMember;
}

/** The account becomes a member of the quorum, and holds one of the two shares of a document. */
export async function sealedForOwner({ house, owner }: Filled): Promise<{
  readonly documentId: string;
  readonly person: Person;
  readonly ask: QuorumScene['ask'];
}> {
  const administrator = await house.administrator();
  const ask: QuorumScene['ask'] = async (method, path, body, token = administrator.token) => {
    const answer = await house.api(method, `/api/quorum${path}`, { token, ...(body !== undefined && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { member, mnemonic } = await ask('POST', '/members', {
    name: 'Owner',
    email: owner.email,
    accountId: owner.memberId,
  });
  const person = { ...owner, id: member.id as string, mnemonic: mnemonic as string, keys: await keysOf(mnemonic) };
  const second = await ask('POST', '/members', { name: 'Other' });
  const other = { id: second.member.id as string, keys: await keysOf(second.mnemonic) };
  const { id } = await sealedFor({ house }, { creatorId: owner.memberId, holders: [person, other] });
  return { documentId: id, person, ask };
}

/** So that each list of the quorum has a second page for the account. */
export async function fillQuorum(filled: Filled): Promise<void> {
  const { documentId, person, ask } = await sealedForOwner(filled);
  const { member, mnemonic } = await ask('POST', '/members', { name: 'Second' });
  const holders = [person, { id: member.id as string, keys: await keysOf(mnemonic) }];
  const { id: shared } = await sealedFor(filled, { creatorId: filled.owner.memberId, holders });
  for (let left = 2; left > 0; left -= 1) await opened({ ask }, shared, filled.owner.token);
  const proposal = { description: 'Why not', actionType: 'CUSTOM', actionPayload: {} };
  const expiresAt = new Date(filled.house.ctx.clock.now() + 60_000).toISOString();
  for (let left = 2; left > 0; left -= 1)
    await ask('POST', '/proposals', { ...proposal, expiresAt }, filled.owner.token);
  const { db, clock } = filled.house.ctx;
  for (const name of ['one', 'two'])
    await db
      .insertInto('quorum_aliases')
      .values({ name, document_id: documentId, proposal_id: '00'.repeat(16), registered_at: clock.now() })
      .execute();
  await fillReshares(filled, { ask, person, holders });
}

interface Resharing {
  readonly ask: QuorumScene['ask'];
  readonly person: Person;
  readonly holders: Parameters<typeof sealedFor>[1]['holders'];
}

async function fillReshares({ house, owner }: Filled, { ask, person, holders }: Resharing): Promise<void> {
  const memberIds = holders.map((holder) => holder.id);
  for (let left = 2; left > 0; left -= 1) {
    const { id } = await sealedFor({ house }, { creatorId: owner.memberId, holders });
    const body = { ephemeralPublicKey: toHex(person.keys.publicKey), reason: 'Second page' };
    const { reshare } = await ask('POST', `/documents/${id}/reshare`, { ...body, memberIds }, owner.token);
    // As if the other holder had contributed, and the dealer had gone on.
    await house.ctx.db
      .updateTable('quorum_reshares')
      .set({ status: 'confirming' })
      .where('id', '=', reshare.id)
      .execute();
    const { encrypted_share, salt, commitment } = await house.ctx.db
      .selectFrom('quorum_shares')
      .selectAll()
      .where('document_id', '=', id)
      .where('member_id', '=', person.id)
      .executeTakeFirstOrThrow();
    const share = { document_id: id, generation: 2, member_id: person.id, encrypted_share, salt, commitment };
    await house.ctx.db
      .insertInto('quorum_shares')
      .values({ ...share, confirmation: null, confirmed_at: null })
      .execute();
  }
}
