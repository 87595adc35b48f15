import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { RawJson } from '../../../contract/raw-json.ts';
import { fieldsProblem, Problem } from '../../../base/problem.ts';
import type { QuorumDocumentRow } from '../../../platform/store/tables/quorum.ts';
import { record } from '../audit/record.ts';
import { holdEpoch } from '../members/epochs.ts';
import { proposalRequired } from '../problems.ts';
import { knownDocument } from '../sessions/rights.ts';
import { holdersOf } from './shares.ts';
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
  const seen = await openableDocument(ctx, actor, documentId);
  assertOnce(memberCredentials);
  if (memberCredentials.length < seen.shares_required) throw insufficientShares(seen, memberCredentials.length);
  // Reserved before the work: a refused request has opened nothing.
  ctx.caller?.reserve(seen.size);
  const holders = new Map((await holdersOf(ctx, seen)).map((holder) => [holder.member_id, holder]));
  const credentials = memberCredentials.map(({ memberId, mnemonic }) => {
    const holder = holders.get(memberId);
    if (holder === undefined || holder.active === 0) return { memberId, mnemonic, wrapped: undefined };
    const { encrypted_share: encryptedShare, salt, commitment } = holder;
    return { memberId, mnemonic, wrapped: { encryptedShare, salt, commitment } };
  });
  const { epoch: epochNumber, generation, shares_required: sharesRequired, header } = seen;
  const sealed = await ciphertext(ctx, seen);
  const job = { documentId, epochNumber, generation, sharesRequired, header, sealed, credentials };
  const opened = await openInThread(ctx, job);
  if ('wrong' in opened) throw decryptionFailed(opened.wrong, memberCredentials);
  if ('damaged' in opened) throw damaged();
  await recordOpening(ctx, actor, seen, memberCredentials);
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
async function openableDocument(ctx: Context, actor: Actor, documentId: string): Promise<QuorumDocumentRow> {
  const row = await knownDocument(ctx, actor.memberId, documentId);
  if (row.kind === 'identity') throw proposalRequired('IDENTITY_DISCLOSURE');
  return row;
}

/** What was checked before the work is checked again: somebody may have been removed, or the document shared anew. */
async function recordOpening(
  ctx: Context,
  actor: Actor,
  seen: QuorumDocumentRow,
  used: readonly Credential[],
): Promise<void> {
  await transaction(ctx, async (tx) => {
    await holdEpoch(tx);
    const { generation } = await openableDocument(tx, actor, seen.id);
    const active = new Set((await holdersOf(tx, seen)).flatMap((one) => (one.active === 1 ? [one.member_id] : [])));
    const gone = used.flatMap(({ memberId }, at) =>
      generation !== seen.generation || !active.has(memberId) ? [at] : [],
    );
    if (gone.length > 0) throw decryptionFailed(gone, used);
    const details = { documentId: seen.id, generation, members: used.length, by: 'mnemonics' };
    await record(tx, actor.memberId, { action: 'DOCUMENT_UNSEALED', subject: `document/${seen.id}`, details }, []);
  });
}

function assertOnce(credentials: readonly Credential[]): void {
  const ids = credentials.map(({ memberId }) => memberId);
  const twice = ids.flatMap((id, at) => (ids.indexOf(id) < at ? [at] : []));
  if (twice.length > 0)
    throw fieldsProblem(twice.map((at) => ({ path: `memberCredentials.${at}.memberId`, message: 'is there twice' })));
}

function insufficientShares({ shares_required: required }: QuorumDocumentRow, given: number): Problem {
  return new Problem(
    'invalid',
    'INSUFFICIENT_SHARES',
    `The document needs the shares of ${required} members, and ${given} were named.`,
    { fields: [{ path: 'memberCredentials', message: `must name at least ${required} holders` }] },
  );
}

/** Says who, and not why: a phrase, a share and a membership that are wrong look the same. */
function decryptionFailed(positions: readonly number[], credentials: readonly Credential[]): Problem {
  const names = positions.map((at) => credentials[at]?.memberId);
  return new Problem(
    'invalid',
    'SHARE_DECRYPTION_FAILED',
    `The shares of these members cannot be opened: ${names.join(', ')}. Check who holds a share, and the recovery phrases.`,
    { fields: positions.map((at) => ({ path: `memberCredentials.${at}`, message: 'opens no share of the document' })) },
  );
}

function damaged(cause?: Problem): Problem {
  const message = 'The sealed document in the store is damaged or was changed.';
  return new Problem('internal', 'DOCUMENT_DAMAGED', message, { cause });
}
