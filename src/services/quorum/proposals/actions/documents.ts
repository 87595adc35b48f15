import type { Context } from '../../../../service/context.ts';
import type { PayloadOf } from '../../../../contract/quorum/actions.ts';
import { Problem } from '../../../../base/problem.ts';
import type { QuorumDocumentRow } from '../../../../platform/store/tables/quorum.ts';
import { documentNotFound } from '../../problems.ts';
import type { Action } from '../action.ts';
import { grantPermit } from '../permits.ts';
import { accountsOf } from '../../members/accounts.ts';

type OnDocument = Action<PayloadOf<'UNSEAL_DOCUMENT' | 'RESHARE_DOCUMENT'>>;

/** What is granted on a document, to the proposer, who need not have a share of it. Its holders still decide whether they contribute. */
const grantOnDocument: OnDocument = {
  routine: true,
  async check(tx, _proposal, { documentId }) {
    await ordinaryDocument(tx, documentId);
  },
  async execute(tx, proposal, { documentId }) {
    const holderIds = await accountsOf(tx, [proposal.proposer_id]);
    const changed = await grantPermit(tx, proposal, { target: documentId, holderIds });
    return { changed, details: { documentId } };
  },
};

/** The proposer may collect the shares of a document, whether or not it is theirs. */
export const unsealDocument = grantOnDocument;

/** The proposer may share a document anew, or give it a new key. */
export const reshareDocument = grantOnDocument;

async function ordinaryDocument(tx: Context, documentId: string): Promise<QuorumDocumentRow> {
  const row = await documentRow(tx, documentId);
  if (row.kind === 'identity')
    throw new Problem(
      'forbidden',
      'PROPOSAL_REQUIRED',
      'The document is a sealed identity. Make a proposal IDENTITY_DISCLOSURE.',
      { fields: [{ path: 'actionType', message: 'IDENTITY_DISCLOSURE' }] },
    );
  return row;
}

export async function documentRow(tx: Context, documentId: string): Promise<QuorumDocumentRow> {
  const row = await tx.db.selectFrom('quorum_documents').selectAll().where('id', '=', documentId).executeTakeFirst();
  if (row === undefined) throw documentNotFound();
  return row;
}
