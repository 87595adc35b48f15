import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { addressOf, askToLook } from '../announcing.ts';
import { addressesOf, isOver } from '../joining/admission-policy.ts';
import type { AclDocument, AclWriter } from '../../../crypto/formats/access-list/document.ts';
import { passedOver } from './list-mark.ts';
import { rulesInForce } from './open-decisions.ts';
import { currentList } from './store.ts';
import { logRefusal, syncSides, syncWith } from './sync.ts';

/** Nodes asked in a round. The others follow in the next rounds. */
const MAX_ASKED = 8;

/**
 * Compares access lists with the nodes that the list names and this node doesn't admit: those whose admission has ended by its clock, and
 * all if its own has. Nothing else is exchanged with them. But the clock may be wrong, and it must not keep a removal from this node, nor
 * from them: a signed list is a proof by itself, whoever brings it.
 *
 * @returns what is done in every round
 */
export function compareWithEnded(ctx: Context): () => Promise<void> {
  let turn = 0;
  return async () => {
    const list = await currentList(ctx.db);
    if (list === undefined) return;
    const { poolId } = list.document;
    const ended = await notAdmitted(ctx, list.document);
    const from = ended.length === 0 ? 0 : turn % ended.length;
    turn = from + MAX_ASKED;
    const asked = [...ended.slice(from), ...ended.slice(0, from)].slice(0, MAX_ASKED);
    await Promise.all(asked.map(async (writer) => await compareWith(ctx, poolId, writer)));
  };
}

async function notAdmitted(ctx: Context, document: AclDocument): Promise<AclWriter[]> {
  const { nodeId: self } = ctx.keys;
  const others = document.writers.filter(({ nodeId }) => nodeId !== self);
  // The database was changed, and nobody is admitted. The others may have the list that this node followed.
  if ((await passedOver(ctx)) !== undefined) return others;
  // Whoever was removed has the list that says so, and nobody has anything else for it.
  if (others.length === document.writers.length) return [];
  const { writers } = await rulesInForce(ctx.db, document);
  const admitted = new Set(writers.filter((writer) => !isOver(ctx, writer)).map(({ nodeId }) => nodeId));
  return admitted.has(self) ? others.filter(({ nodeId }) => !admitted.has(nodeId)) : others;
}

async function compareWith(ctx: Context, poolId: string, { nodeId, publicKey }: AclWriter): Promise<void> {
  const addresses = await addressesOf(ctx, nodeId);
  const targets = [{ nodeId }, ...addresses.map((address) => ({ address: addressOf(address, publicKey) }))];
  for (const target of targets) {
    try {
      const stands = await syncWith(ctx, target, nodeId);
      if (stands !== 'elsewhere') await syncSides(ctx, target, poolId, nodeId);
      // It hears of nothing in its rounds, so it has to come for what it lacks.
      if (stands === 'behind') askToLook(ctx, poolId, { nodeId, publicKey, addresses });
      return;
    } catch (error) {
      logRefusal(ctx, 'comparing access lists failed', nodeId, error);
      if (!(error instanceof Problem) || error.code !== 'PEER_UNREACHABLE') return;
    }
  }
}
