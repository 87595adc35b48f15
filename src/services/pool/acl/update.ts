import { requireRole, type Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { CryptoError } from '../../../crypto/crypto-error.ts';
import { compressPublicKey, memberIdOf } from '../../../crypto/public-key.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { AclAdmin, AclDocument, PoolMode } from '../../../crypto/formats/access-list/document.ts';
import { afterwards, announced, announceList, askToLook } from '../announcing.ts';
import { addressesOf } from '../joining/admission-policy.ts';
import type { Changed } from '../joining/decisions.ts';
import { note } from '../note.ts';
import { changeList, ensureList } from './commit.ts';
import { checkMailDomain, futureTime } from '../input.ts';
import { administrators, signerFor } from './signer.ts';

export interface NodeUpdate {
  readonly nodeId: string;
  /** ISO 8601; null for no end */
  readonly expiresAt?: string | null | undefined;
  /** null for no mail domain */
  readonly mailDomain?: string | null | undefined;
}

/** Changes the entry of a node in the access list. */
export async function updateNode(ctx: Context, actor: Actor, input: NodeUpdate): Promise<Changed> {
  requireRole(actor, administrators);
  const { nodeId, expiresAt, mailDomain } = input;
  if (expiresAt === undefined && mailDomain === undefined)
    throw fieldProblem('expiresAt', 'is required unless mailDomain is given');
  if (typeof mailDomain === 'string') checkMailDomain(mailDomain);
  const ends = typeof expiresAt === 'string' ? futureTime(ctx, expiresAt) : expiresAt;
  const list = await changeList(ctx, actor, {
    change({ writers }) {
      const { mailDomain: domain, ...writer } = writerOf({ writers }, nodeId);
      const next = mailDomain === undefined ? domain : (mailDomain ?? undefined);
      const changed = {
        ...writer,
        ...(next !== undefined && { mailDomain: next }),
        ...(ends !== undefined && { expiresAt: ends }),
      };
      return { writers: writers.map((other) => (other.nodeId === nodeId ? changed : other)) };
    },
    also: async (tx, { document }) => note(tx, actor, 'pool.update-node', nodeId, document.version),
  });
  await afterwards(ctx, async () => await announceList(ctx, announced.changed, list));
  const { publicKey } = writerOf(list.document, nodeId);
  // An expired node gets no announcement.
  if (nodeId !== ctx.keys.nodeId)
    askToLook(ctx, list.document.poolId, { nodeId, publicKey, addresses: await addressesOf(ctx, nodeId) });
  return { nodeId, aclVersion: list.document.version };
}

export interface AclUpdate {
  readonly mode?: PoolMode | undefined;
  /** members of this node */
  readonly addAdmins?: readonly string[] | undefined;
  /** compressed public keys, hex */
  readonly addKeys?: readonly string[] | undefined;
  readonly removeAdmins?: readonly string[] | undefined;
  /** how many administrators must sign a change */
  readonly threshold?: number | undefined;
}

/** Changes how nodes are admitted, and who decides. Without any difference there is no new version. */
export async function updateAcl(ctx: Context, actor: Actor, input: AclUpdate): Promise<{ aclVersion: number }> {
  requireRole(actor, administrators);
  const added = [...(await administratorsOf(ctx, input.addAdmins ?? [])), ...(input.addKeys ?? []).map(adminOfKey)];
  const current = await ensureList(ctx);
  if (isAsWanted(current.document, input, added)) {
    await signerFor(ctx, actor, current.document);
    return { aclVersion: current.document.version };
  }
  const list = await changeList(ctx, actor, {
    change: ({ admins, threshold, mode }) => ({
      mode: input.mode ?? mode,
      admins: changedAdmins(admins, added, input.removeAdmins ?? [], input.threshold ?? threshold),
      threshold: input.threshold ?? threshold,
    }),
    also: async (tx, { document }) => note(tx, actor, 'pool.update-acl', undefined, document.version),
  });
  await afterwards(ctx, async () => await announceList(ctx, announced.changed, list));
  return { aclVersion: list.document.version };
}

function isAsWanted(
  { mode, admins, threshold }: Pick<AclDocument, 'mode' | 'admins' | 'threshold'>,
  input: AclUpdate,
  added: readonly AclAdmin[],
): boolean {
  const ids = new Set(admins.map(({ memberId }) => memberId));
  return (
    (input.mode === undefined || input.mode === mode) &&
    (input.threshold === undefined || input.threshold === threshold) &&
    added.every(({ memberId }) => ids.has(memberId)) &&
    (input.removeAdmins ?? []).every((memberId) => !ids.has(memberId))
  );
}

function changedAdmins(
  admins: readonly AclAdmin[],
  added: readonly AclAdmin[],
  removed: readonly string[],
  threshold: number,
): AclAdmin[] {
  const all = new Map([...admins, ...added].map((admin) => [admin.memberId, admin]));
  for (const memberId of removed) all.delete(memberId);
  if (all.size < threshold)
    throw new Problem(
      'conflict',
      'POOL_LAST_ADMINISTRATOR',
      `The access list would have ${all.size} ${all.size === 1 ? 'administrator' : 'administrators'}, and ${threshold} would have to sign each change. Choose a lower threshold, or add administrators.`,
    );
  return [...all.values()];
}

async function administratorsOf(ctx: Context, ids: readonly string[]): Promise<AclAdmin[]> {
  if (ids.length === 0) return [];
  const rows = await ctx.db
    .selectFrom('members')
    .select(['id', 'public_key'])
    .where('id', 'in', [...ids])
    .where('type', '=', 'Admin')
    .where('status', '=', 'active')
    .execute();
  const keys = new Map(rows.map((row) => [row.id, row.public_key]));
  return ids.map((memberId) => {
    const publicKey = keys.get(memberId);
    if (publicKey === undefined)
      throw new Problem('missing', 'MEMBER_NOT_FOUND', `There is no active administrator ${memberId} on this node.`);
    return { memberId, publicKey };
  });
}

function adminOfKey(text: string): AclAdmin {
  try {
    const publicKey = compressPublicKey(fromHex(text));
    return { memberId: memberIdOf(publicKey), publicKey: toHex(publicKey) };
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error;
    throw fieldProblem('addKeys', 'must be public keys, points of secp256k1');
  }
}

function writerOf({ writers }: Pick<AclDocument, 'writers'>, nodeId: string) {
  const writer = writers.find((one) => one.nodeId === nodeId);
  if (writer === undefined) throw new Problem('missing', 'NODE_NOT_FOUND', `The access list has no node ${nodeId}.`);
  return writer;
}
