import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import type { House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { keysOf, type Person, type QuorumScene } from './scene.ts';
import { opened, sealedFor } from './sealing.ts';

interface Filled {
  readonly house: House;
  /** an account */
  readonly owner: HouseMember;
}

/** The account becomes a member of the quorum, with a share of a document. */
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
  const { member, mnemonic } = await ask('POST', '/members', { name: 'Owner', email: owner.email });
  const person = { ...owner, id: member.id as string, mnemonic: mnemonic as string, keys: await keysOf(mnemonic) };
  const other = { id: 'cd'.repeat(12), keys: generateKeyPair() };
  const { id } = await sealedFor({ house }, { creatorId: owner.memberId, holders: [person, other] });
  return { documentId: id, person, ask };
}

/** So that each list of the quorum has a second page for the account. */
export async function fillQuorum(filled: Filled): Promise<void> {
  const { documentId, ask } = await sealedForOwner(filled);
  await ask('POST', '/members', { name: 'Second' });
  for (let left = 2; left > 0; left -= 1) await opened({ ask }, documentId, filled.owner.token);
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
}
