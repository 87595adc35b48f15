import type { Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { rootOf } from '../../../crypto/merkle.ts';
import { Problem } from '../../../base/problem.ts';
import { logTagOf } from '../../../crypto/verifier-key.ts';
import { readHead } from '../head.ts';
import { logKeyOf, originOf } from '../../../crypto/formats/ledger/log-key.ts';
import { rootAt } from '../proofs.ts';
import { stopSigning, wasGivenUp, type StopKind } from './stop.ts';

/** A head of a log of this node, as a file or another node remembers it. */
export interface RememberedHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/**
 * Compares the ledger with a head that this node certainly had once.
 *
 * @returns what happened to the store, or undefined when the ledger continues that head
 */
export async function compareWithOwn(ctx: Context, remembered: RememberedHead): Promise<StopKind | undefined> {
  const { origin, size, root } = remembered;
  if (logTagOf(ctx.keys.nodeId, origin) === undefined) return undefined;
  const head = await readHead(ctx, logKeyOf(ctx.keys));
  if (origin !== originOf(logKeyOf(ctx.keys))) return (await wasGivenUp(ctx, origin)) ? undefined : 'rolled-back';
  if (size === 0) return undefined;
  if (head === undefined || size > head.size) return 'rolled-back';
  const own = size === head.size ? rootOf(head.frontier) : await ownRootAt(ctx, size);
  return own !== undefined && Buffer.compare(own, root) === 0 ? undefined : 'rewritten';
}

/**
 * Stops signing if the ledger does not continue a head that this node certainly had once.
 *
 * @param toldBy what remembers the head: a node id, or the name of a file
 */
export async function stopUnlessContinued(ctx: Context, remembered: RememberedHead, toldBy: string): Promise<void> {
  const kind = await compareWithOwn(ctx, remembered);
  if (kind === undefined) return;
  const { origin, size, root } = remembered;
  // What comes after these entries was recorded since: it is not what was signed.
  const entries = (await readHead(ctx, logKeyOf(ctx.keys)))?.size ?? 0;
  await stopSigning(ctx, kind, { toldBy, origin, size, root: toHex(root), entries });
}

/** A damaged tree is reported where it is used; here it only isn't the remembered one. */
async function ownRootAt(ctx: Context, size: number): Promise<Uint8Array | undefined> {
  try {
    return await rootAt(ctx, size);
  } catch (error) {
    if (error instanceof Problem && error.code === 'LEDGER_DAMAGED') return undefined;
    throw error;
  }
}
