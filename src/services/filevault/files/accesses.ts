import type { Caller } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { signReceipt } from '../../../crypto/formats/file-proofs/receipt.ts';
import { Problem } from '../../../base/problem.ts';
import type { ByteRange } from '../../../service/raw-bodies.ts';
import type { Place } from '../access/places.ts';
import { record, type AuditAction } from '../audit.ts';
import { canaryOpened } from '../canary/opened.ts';

/** A member, or somebody with a link. */
export type Accessor = Caller & { readonly memberId?: string };

/** Which file something is said of. */
export interface Found {
  readonly containerId: string;
  readonly nodeId: string;
}

interface Access extends Pick<Place, 'container'> {
  readonly action: AuditAction;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** keeps in the same transaction what belongs to the entry of the ledger */
  readonly recorded?: (entry: string) => Promise<void>;
}

const RECEIPT_BYTES = 32;
/** How much of a body leaves between two looks at whether it still may. */
const LOOK_BYTES = 1024 ** 2;

/**
 * Records an access, durably, before the first byte.
 * @param check looks again, in the transaction, whether the access is allowed
 * @returns a receipt that the node signs: whoever has it can show that the access must be in the ledger
 */
export async function recordAccess(
  ctx: Context,
  actor: Accessor,
  fileId: string,
  { start, end }: ByteRange,
  check: (tx: Context) => Promise<Access>,
): Promise<string> {
  const receipt = toHex(ctx.random(RECEIPT_BYTES));
  await transaction(ctx, async (tx) => {
    const { container, action, metadata, recorded } = await check(tx);
    const entry = await record(tx, actor, {
      action,
      containerId: container.id,
      nodeId: fileId,
      metadata: { ...metadata, start, end },
      data: { receipt },
    });
    await recorded?.(entry);
    await canaryOpened(tx, fileId, actor.memberId);
  });
  return signReceipt(ctx, receipt, fileId);
}

/**
 * Ends a body whose reader may not have it any more.
 * @param look throws then. What is gone while it is read looks damaged, so it is asked before a damage is reported, too
 */
export async function* whileAllowed(
  body: AsyncIterable<Uint8Array>,
  look: () => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  let since = 0;
  try {
    for await (const piece of body) {
      if (since >= LOOK_BYTES) {
        await look();
        since = 0;
      }
      since += piece.length;
      yield piece;
    }
  } catch (error) {
    if (error instanceof Problem && error.code === 'FILE_DAMAGED') await look();
    throw error;
  }
}

/** What an integrity check finds goes to the audit log. */
export async function* watched(
  ctx: Context,
  actor: Accessor,
  found: Found,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    throw await reported(ctx, actor, found, error);
  }
}

export function noted(ctx: Context, actor: Accessor, found: Found) {
  return async (error: unknown): Promise<never> => {
    throw await reported(ctx, actor, found, error);
  };
}

export async function reported(ctx: Context, actor: Accessor, found: Found, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem) || error.code !== 'FILE_DAMAGED') return error;
  try {
    await transaction(ctx, async (tx) => await record(tx, actor, { action: 'FILE_DAMAGED', ...found }));
  } catch (failure) {
    ctx.log.error('the damage of a file was not recorded', { fileId: found.nodeId, error: failure });
  }
  return error;
}
