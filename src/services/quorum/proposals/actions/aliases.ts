import type { Actor } from '../../../../service/actor.ts';
import { withBlock } from '../../../../shared/attachments/blocks.ts';
import type { Context } from '../../../../service/context.ts';
import type { PayloadOf } from '../../../../contract/quorum/actions.ts';
import { canonicalJsonBytes } from '../../../../crypto/canonical-json.ts';
import { fieldProblem, Problem } from '../../../../base/problem.ts';
import type { QuorumAliasRow } from '../../../../platform/store/tables/quorum.ts';
import { requireMember } from '../../access.ts';
import { findAlias, isAvailable } from '../../aliases/aliases.ts';
import { record } from '../../audit/record.ts';
import { newDocument, storeDocument } from '../../documents/new-document.ts';
import { currentEpoch, holdEpoch } from '../../members/epochs.ts';
import type { Action } from '../action.ts';
import { accountsOf } from '../../members/accounts.ts';
import { approversOf } from '../ballots.ts';
import { grantPermit } from '../permits.ts';
import { documentRow } from './documents.ts';

type Registration = PayloadOf<'REGISTER_ALIAS'>;

export const registerAlias: Action<Registration> = {
  routine: true,
  // The identity is sealed before anything is stored, so neither the proposal nor the audit trail ever has it in clear.
  async prepare(ctx, actor, { identity, ...payload }) {
    if ((identity === undefined) === (payload.documentId === undefined))
      throw fieldProblem('actionPayload', 'needs either identity or documentId');
    if (identity === undefined) return payload;
    await assertFree(ctx, payload.aliasName);
    return { ...payload, documentId: await sealIdentity(ctx, actor, identity) };
  },
  async check(tx, _proposal, { aliasName, documentId }) {
    await assertFree(tx, aliasName);
    const { kind } = await documentRow(tx, documentId ?? '');
    if (kind !== 'identity') throw fieldProblem('actionPayload.documentId', 'is not a sealed identity');
    const other = await tx.db
      .selectFrom('quorum_aliases')
      .select('name')
      .where('document_id', '=', documentId ?? '')
      .executeTakeFirst();
    if (other !== undefined)
      throw new Problem('conflict', 'DOCUMENT_IN_USE', `The alias ${other.name} refers to the document.`);
  },
  async execute(tx, proposal, { aliasName, documentId = '' }) {
    await tx.db
      .insertInto('quorum_aliases')
      .values({
        name: aliasName,
        document_id: documentId,
        proposal_id: proposal.id,
        registered_at: tx.clock.now(),
      })
      .execute();
    return { changed: [['quorum_aliases', aliasName]], details: { documentId } };
  },
};

/** Seals an identity for all members, whose threshold opens it. It stands for itself, until an alias refers to it. */
async function sealIdentity(ctx: Context, actor: Actor, identity: unknown): Promise<string> {
  await requireMember(ctx, actor);
  const { memberIds } = await currentEpoch(ctx);
  const content = canonicalJsonBytes(identity);
  const made = await newDocument(ctx, { kind: 'identity', creatorId: actor.memberId, content, memberIds });
  const { documentId, sharesRequired } = made.header;
  await withBlock(
    ctx,
    made.sealed,
    async (tx, block) => {
      await holdEpoch(tx);
      await requireMember(tx, actor);
      const changed = await storeDocument(tx, made, block);
      const details = { documentId, members: memberIds.length, sharesRequired };
      await record(
        tx,
        actor.memberId,
        { action: 'IDENTITY_SEALED', subject: `document/${documentId}`, details },
        changed,
      );
    },
    made.shares,
  );
  return documentId;
}

async function assertFree(ctx: Context, aliasName: string): Promise<void> {
  if (!(await isAvailable(ctx, aliasName)))
    throw fieldProblem('actionPayload.aliasName', 'is taken or reserved', {
      sentence: `The alias ${aliasName} is not available.`,
    });
}

export const deregisterAlias: Action<PayloadOf<'DEREGISTER_ALIAS'>> = {
  routine: true,
  async check(tx, _proposal, { aliasName }) {
    await registered(tx, aliasName);
  },
  async execute(tx, _proposal, { aliasName }) {
    const { document_id: documentId } = await registered(tx, aliasName);
    await tx.db.deleteFrom('quorum_aliases').where('name', '=', aliasName).execute();
    return { changed: [['quorum_aliases', aliasName]], details: { documentId } };
  },
};

/** The proposer and those who approved may open the identity behind an alias, for a time. That they may is on the record; who it is isn't. */
export const identityDisclosure: Action<PayloadOf<'IDENTITY_DISCLOSURE'>> = {
  async check(tx, _proposal, { aliasName }) {
    await registered(tx, aliasName);
  },
  async execute(tx, proposal, { aliasName }) {
    const { document_id: documentId } = await registered(tx, aliasName);
    const holderIds = await accountsOf(tx, [proposal.proposer_id, ...(await approversOf(tx, proposal))]);
    const changed = await grantPermit(tx, proposal, { target: documentId, holderIds });
    return { changed, details: { documentId, holders: holderIds.length } };
  },
};

async function registered(tx: Context, aliasName: string): Promise<QuorumAliasRow> {
  const row = await findAlias(tx, aliasName);
  if (row === undefined) throw new Problem('missing', 'ALIAS_NOT_FOUND', `There is no alias ${aliasName}.`);
  return row;
}
