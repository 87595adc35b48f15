import { join } from 'node:path';
import type { Context } from '../../../service/context.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { rootOf } from '../../../crypto/merkle.ts';
import { logTagOf } from '../../../crypto/verifier-key.ts';
import { readIfThere, replaceDurably } from '../../store/durable-file.ts';
import { wholeNumber } from '../../../base/whole-number.ts';
import { readHead } from '../head.ts';
import { logKeyOf, originOf } from '../../../crypto/formats/ledger/log-key.ts';
import { stopUnlessContinued, type RememberedHead } from './own-head.ts';
import { stopsOf } from './stop.ts';

/**
 * The high-water mark: the end of the ledger in a file beside the store. It is in no backup, so a store that was put back to an older state
 * does not fit it. It is written before a checkpoint leaves the node, every ten seconds while a server runs, and when the server stops. So
 * going back behind a published checkpoint is always noticed, and going back otherwise when it goes further than ten seconds.
 */
export const markFile = 'ledger.mark';

type Place = Pick<Context, 'config' | 'keys' | 'log'>;

/** @returns undefined when there is no mark, or one of another node */
export async function readMark({ config, keys, log }: Place): Promise<RememberedHead | undefined> {
  const text = await readIfThere(join(config.dataDir, markFile));
  if (text === undefined) return undefined;
  const [version, origin = '', digits = '', root = ''] = text.split('\n');
  const size = wholeNumber(/^(?:0|[1-9]\d{0,15})$/.exec(digits)?.[0]);
  if (version !== 'conclave/ledger-mark/v1' || size === undefined || !/^[0-9a-f]{64}$/.test(root)) {
    log.warn('ledger.mark in the data directory is damaged, so a rollback may have gone unnoticed; it is written anew');
    return undefined;
  }
  return logTagOf(keys.nodeId, origin) === undefined ? undefined : { origin, size, root: fromHex(root) };
}

/** Replaces the mark, unless it is further already. When this resolves, the mark survives a power failure. */
export async function setMark(ctx: Place & Pick<Context, 'ledger'>, head: RememberedHead): Promise<void> {
  await ctx.ledger.oneByOne(async () => {
    const now = await readMark(ctx);
    if (now?.origin === head.origin && now.size >= head.size) return;
    const text = `conclave/ledger-mark/v1\n${head.origin}\n${head.size}\n${toHex(head.root)}\n`;
    await replaceDurably(join(ctx.config.dataDir, markFile), text);
  });
}

/** Compares the ledger with the mark. If the store was put back, the node signs nothing from now on. */
export async function checkMark(ctx: Context): Promise<void> {
  const mark = await readMark(ctx);
  if (mark !== undefined) await stopUnlessContinued(ctx, mark, markFile);
}

/** Brings the mark to the end of the ledger, if the node signs. */
export async function advanceMark(ctx: Context): Promise<void> {
  await ctx.ledger.settled();
  const head = await readHead(ctx, logKeyOf(ctx.keys));
  const origin = originOf(logKeyOf(ctx.keys));
  const mark = await readMark(ctx);
  if (head === undefined || (mark?.origin === origin && mark.size === head.size)) return;
  await checkMark(ctx);
  if ((await stopsOf(ctx)).length > 0) return;
  await setMark(ctx, { origin, size: head.size, root: rootOf(head.frontier) });
}
