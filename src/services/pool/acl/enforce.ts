import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { adopt } from './adopt.ts';
import { reconsiderIfForked } from './branches.ts';
import { validSignatures, verifySuccessor, type SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { rulesInForce } from './open-decisions.ts';

/**
 * Makes a proposal the active list if enough administrators have signed it. Whoever is treated as removed doesn't count. It must run in a
 * transaction.
 * @returns the proposal with the signatures that count
 */
export async function enforce(tx: Context, current: SignedList, list: SignedList, source: string): Promise<SignedList> {
  const { poolId, threshold } = current.document;
  const { admins } = await rulesInForce(tx.db, current.document);
  const signatures = validSignatures(list, admins);
  const counted = { ...list, signatures };
  if (signatures.length < threshold) return counted;
  const next = verifySuccessor(current, counted);
  const adopted = await adopt(tx, { from: { poolId, hash: current.hash }, lists: [next], source });
  if (!adopted) throw new Problem('conflict', 'POOL_BUSY', 'The access list has changed just now. Try again.');
  await reconsiderIfForked(tx, current, [next]);
  return next;
}
