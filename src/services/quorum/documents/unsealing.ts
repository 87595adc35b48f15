import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { RawJson } from '../../../contract/raw-json.ts';
import { fieldsProblem, Problem } from '../../../base/problem.ts';
import type { QuorumDocumentRow } from '../../../platform/store/tables/quorum.ts';
import { record } from '../audit/record.ts';
import { holdEpoch } from '../members/epochs.ts';
import { proposalRequired } from '../problems.ts';
import { actionFor, knownDocument, rightTo, type Right } from '../sessions/rights.ts';
import { holdersOf, type Holder } from './shares.ts';
import { tooFewShares } from './too-few.ts';
import { unsealTask, type Unsealed, type UnsealJob } from './tasks.ts';

interface Credential {
  readonly memberId: string;
  readonly mnemonic: string;
}

/** Opens a document with recovery phrases. That it was opened is recorded before anybody gets its content. */
export async function unseal(
  ctx: Context,
  actor: Actor,
  { documentId, memberCredentials }: { documentId: string; memberCredentials: Credential[] },
): Promise<{ document: RawJson }> {
  const { row: seen } = await openableDocument(ctx, actor, documentId);
  assertOnce(memberCredentials);
  const holders = new Map((await holdersOf(ctx, seen)).map((holder) => [holder.member_id, holder]));
  // Shares of removed members count for nothing, whatever their phrases are.
  const used = memberCredentials.filter(({ memberId }) => holders.get(memberId)?.active !== 0);
  await assertEnough(ctx, actor, seen, { used, named: memberCredentials, holders });
  // Reserved before the work: a refused request has opened nothing.
  ctx.caller?.reserve(seen.size);
  const credentials = used.map(({ memberId, mnemonic }) => {
    const holder = holders.get(memberId);
    if (holder === undefined) return { memberId, mnemonic, wrapped: undefined };
    const { encrypted_share: encryptedShare, salt, commitment } = holder;
    return { memberId, mnemonic, wrapped: { encryptedShare, salt, commitment } };
  });
  const { epoch: epochNumber, generation, shares_required: sharesRequired, header } = seen;
  const sealed = await ciphertext(ctx, seen);
  const job = { documentId, epochNumber, generation, sharesRequired, header, sealed, credentials };
  const opened = await openInThread(ctx, job);
  if ('wrong' in opened) {
    const wrong = new Set(opened.wrong.map((at) => used[at]));
    throw decryptionFailed(memberCredentials, (credential) => wrong.has(credential));
  }
  if ('damaged' in opened) throw damaged();
  await recordOpening(ctx, actor, seen, { used, named: memberCredentials, holders });
  return { document: new RawJson(opened.content) };
}

/** @throws Problem internal DOCUMENT_DAMAGED also if the block is not there, or another one */
async function ciphertext(ctx: Context, { block_id: blockId }: QuorumDocumentRow): Promise<Uint8Array> {
  try {
    return await ctx.blocks.get(blockId);
  } catch (cause) {
    if (cause instanceof Problem && (cause.code === 'BLOCK_DAMAGED' || cause.code === 'BLOCK_NOT_FOUND'))
      throw damaged(cause);
    throw cause;
  }
}

/** Given up when the client does not wait any more. */
async function openInThread(ctx: Context, job: UnsealJob): Promise<Unsealed> {
  const signal = ctx.caller?.signal;
  try {
    return await ctx.offload.run(unsealTask, job, signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    throw new Problem('invalid', 'VALIDATION_ERROR', 'The client disconnected. Nothing was opened.', { cause: error });
  }
}

/** @throws Problem missing DOCUMENT_NOT_FOUND; forbidden PROPOSAL_REQUIRED */
async function openableDocument(
  ctx: Context,
  actor: Actor,
  documentId: string,
): Promise<{ readonly row: QuorumDocumentRow; readonly right: Right }> {
  const row = await knownDocument(ctx, actor.memberId, documentId);
  const right = await rightTo(ctx, actor.memberId, row, 'unseal');
  if (right === undefined) throw proposalRequired(actionFor(row, 'unseal'));
  return { row, right };
}

/** What was checked before the work is checked again: somebody may have been removed, or the document shared anew. */
async function recordOpening(
  ctx: Context,
  actor: Actor,
  seen: QuorumDocumentRow,
  { used, named }: Given,
): Promise<void> {
  await transaction(ctx, async (tx) => {
    await holdEpoch(tx);
    const { row, right } = await openableDocument(tx, actor, seen.id);
    const { generation } = row;
    if (generation !== seen.generation)
      throw new Problem(
        'conflict',
        'DOCUMENT_RESHARED',
        'The document was shared anew meanwhile. Nothing was opened. Try again.',
      );
    const holders = new Map((await holdersOf(tx, seen)).map((holder) => [holder.member_id, holder]));
    const counted = used.filter(({ memberId }) => holders.get(memberId)?.active === 1);
    await assertEnough(tx, actor, row, { used: counted, named, holders });
    const { proposalId } = right;
    const details = {
      documentId: seen.id,
      generation,
      members: counted.length,
      by: 'mnemonics',
      ...(proposalId !== null && { proposalId }),
    };
    await record(tx, actor.memberId, { action: 'DOCUMENT_UNSEALED', subject: `document/${seen.id}`, details }, []);
  });
}

function assertOnce(credentials: readonly Credential[]): void {
  const ids = credentials.map(({ memberId }) => memberId);
  const twice = ids.flatMap((id, at) => (ids.indexOf(id) < at ? [at] : []));
  if (twice.length > 0)
    throw fieldsProblem(twice.map((at) => ({ path: `memberCredentials.${at}.memberId`, message: 'is there twice' })));
}

interface Given {
  /** those that may count */
  readonly used: readonly Credential[];
  /** all of the request */
  readonly named: readonly Credential[];
  readonly holders: ReadonlyMap<string, Holder>;
}

/**
 * Members without a share are left to the work, which names them with whoever has a wrong phrase. They don't stand for who was removed.
 * @throws Problem invalid INSUFFICIENT_SHARES
 */
async function assertEnough(
  ctx: Context,
  actor: Actor,
  document: QuorumDocumentRow,
  { used, named, holders }: Given,
): Promise<void> {
  const required = document.shares_required;
  const isShort = named.length > used.length;
  const counting = isShort ? used.filter(({ memberId }) => holders.has(memberId)).length : used.length;
  if (counting >= required) return;
  const sentence = isShort
    ? `The document needs the shares of ${required} members of the quorum, and ${counting} of those who were named are members with a share.`
    : `The document needs the shares of ${required} members, and ${counting} were named.`;
  const positions = new Map(named.map(({ memberId }, at) => [memberId, `memberCredentials.${at}`]));
  const problem = await tooFewShares(ctx, actor, document, sentence, (memberId) => positions.get(memberId));
  const field = { path: 'memberCredentials', message: `must name at least ${required} holders who are members` };
  throw new Problem('invalid', 'INSUFFICIENT_SHARES', problem.message, { fields: [field, ...problem.fields] });
}

/** Says who, and not why: a phrase and a share that are wrong look the same, and so does somebody who has no share. */
function decryptionFailed(named: readonly Credential[], isWrong: (credential: Credential) => boolean): Problem {
  const wrong = named.flatMap((credential, at) => (isWrong(credential) ? [{ at, ...credential }] : []));
  const ids = wrong.map(({ memberId }) => memberId).join(', ');
  return new Problem(
    'invalid',
    'SHARE_DECRYPTION_FAILED',
    `The shares of these members cannot be opened: ${ids}. Check who holds a share, and the recovery phrases.`,
    { fields: wrong.map(({ at }) => ({ path: `memberCredentials.${at}`, message: 'opens no share of the document' })) },
  );
}

function damaged(cause?: Problem): Problem {
  const message = 'The sealed document in the store is damaged or was changed.';
  return new Problem('internal', 'DOCUMENT_DAMAGED', message, { cause });
}
