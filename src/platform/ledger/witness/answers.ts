import * as v from 'valibot';
import type { Context } from '../../../service/context.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import type { Peer } from '../../../service/ports/network.ts';
import { Problem } from '../../../base/problem.ts';
import { readHead } from '../head.ts';
import { logKeyOf, originOf } from '../../../crypto/formats/ledger/log-key.ts';
import { proveConsistency } from '../proofs.ts';
import { parseAddCheckpoint } from './add-checkpoint.ts';
import { showCheckpoint } from './hearsay.ts';
import type { Instances } from './instances.ts';
import { ownEnd } from './own-end.ts';
import { hashes, hex, origin, sizes } from '../../../crypto/formats/ledger/wire.ts';
import { witnessCheckpoint } from './witness.ts';

const genesis = v.object({ index: sizes, entry: v.pipe(v.string(), v.maxLength(16_384)), proof: hashes });

const question = v.variant('ask', [
  v.object({
    ask: v.literal('add-checkpoint'),
    body: v.string(),
    root: v.optional(hex(32)),
    genesis: v.optional(genesis),
  }),
  v.object({ ask: v.literal('end') }),
  v.object({ ask: v.literal('attest'), statement: v.unknown() }),
  v.object({ ask: v.literal('checkpoint'), origin }),
  v.object({ ask: v.literal('consistency'), origin, from: sizes, to: sizes }),
]);

/**
 * Answers another node's question about a ledger.
 *
 * @throws Problem invalid QUESTION_MALFORMED or CHECKPOINT_REFUSED, missing CHECKPOINT_REFUSED, conflict NODE_STOPPED
 */
export async function answerWitness(ctx: Context, instances: Instances, asked: unknown, peer: Peer): Promise<unknown> {
  const parsed = v.safeParse(question, asked);
  if (!parsed.success) throw malformed();
  const said = parsed.output;
  switch (said.ask) {
    case 'end':
      return await ownEnd(ctx);
    case 'attest':
      await instances.hear(said.statement, peer);
      return {};
    case 'checkpoint':
      return await showCheckpoint(ctx, said.origin);
    case 'consistency':
      return await proveOwn(ctx, said);
    case 'add-checkpoint':
      break;
  }
  const given = parseAddCheckpoint(said.body);
  if (given === undefined) throw malformed();
  const binding = said.genesis && { ...said.genesis, proof: said.genesis.proof.map((hash) => fromHex(hash)) };
  const root = said.root === undefined ? undefined : fromHex(said.root);
  return await witnessCheckpoint(ctx, peer, { ...given, root, genesis: binding });
}

async function proveOwn(
  ctx: Context,
  { origin: asked, from, to }: { readonly origin: string; readonly from: number; readonly to: number },
): Promise<{ readonly root: string; readonly proof: readonly string[] }> {
  const head = await readHead(ctx, logKeyOf(ctx.keys));
  const has = asked === originOf(logKeyOf(ctx.keys)) && from >= 1 && from <= to && to <= (head?.size ?? 0);
  if (!has) throw new Problem('missing', 'CHECKPOINT_REFUSED', 'The ledger of this node does not have these sizes.');
  const { fromRoot, proof } = await proveConsistency(ctx, from, to);
  return { root: toHex(fromRoot), proof: proof.map(toHex) };
}

function malformed(): Problem {
  return new Problem('invalid', 'QUESTION_MALFORMED', 'The question about a ledger is not valid.');
}
