import * as v from 'valibot';
import type { Context } from '../../../service/context.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { sha256 } from '../../../crypto/hash.ts';
import type { Announcement, GossipPort, Peer, SharedPart } from '../../../service/ports/network.ts';
import { Problem } from '../../../base/problem.ts';
import { protocols } from '../announcing.ts';
import { wireList } from '../../../crypto/formats/access-list/chain.ts';
import { digits, refusedList } from '../../../crypto/formats/access-list/document.ts';
import { MAX_OPEN, openProposals, proposalRow, signaturesOf } from './proposal-rows.ts';
import { receiveProposal } from './proposals.ts';
import { poolHead } from './store.ts';

const question = v.strictObject({ poolId: digits(32), hash: digits(32) });
const answer = v.object({ list: v.optional(wireList) });
/** Hashes of proposals, each with a digest of who has signed. */
const told = v.object({
  prev: digits(32),
  proposals: v.pipe(v.array(v.strictTuple([digits(32), digits(4)])), v.maxLength(MAX_OPEN)),
});
const announcement = v.object({ poolId: digits(32), hash: digits(32), list: v.optional(v.unknown()) });

/** Two nodes compare which proposals they have, and who has signed them, when they connect and in every round. */
export function comparedProposals(ctx: Context): SharedPart {
  return {
    async tell() {
      const head = await poolHead(ctx.db);
      if (head === undefined) return undefined;
      const proposals = await ours(ctx, head.pool_id, head.hash);
      return proposals.size === 0 ? undefined : { prev: head.hash, proposals: [...proposals] };
    },
    async hear(said, { nodeId }) {
      const parsed = v.safeParse(told, said, { abortEarly: true });
      const head = await poolHead(ctx.db);
      // Another list is active there. The lists are compared first.
      if (!parsed.success || parsed.output.prev !== head?.hash) return;
      const known = await ours(ctx, head.pool_id, head.hash);
      for (const [hash, signers] of parsed.output.proposals) {
        try {
          if (known.get(hash) !== signers) await fetchProposal(ctx, head.pool_id, hash, nodeId);
        } catch (error) {
          // One for which there is no room must not keep the next one away, which may have it.
          if (!(error instanceof Problem && error.code === 'POOL_PROPOSALS_FULL')) throw error;
        }
      }
    },
  };
}

async function ours(ctx: Context, poolId: string, prev: string): Promise<Map<string, string>> {
  const rows = await openProposals(ctx, poolId, prev);
  return new Map(
    rows.map((row) => {
      const signers = signaturesOf(row).map(({ memberId }) => memberId);
      return [row.hash, toHex(sha256(utf8(signers.toSorted().join(' ')))).slice(0, 8)];
    }),
  );
}

/** Hears of a proposal. A long one is only named. */
export async function hearProposal(ctx: Context, { payload, nodeId }: Announcement): Promise<void> {
  const parsed = v.safeParse(announcement, payload);
  if (!parsed.success) return;
  const { poolId, hash, list } = parsed.output;
  if (list === undefined) await fetchProposal(ctx, poolId, hash, nodeId);
  else await receiveProposal(ctx, list, nodeId);
}

async function fetchProposal(ctx: Context, poolId: string, hash: string, nodeId: string): Promise<void> {
  const said = await ctx.gossip.request({ nodeId }, protocols.proposals, { poolId, hash });
  const parsed = v.safeParse(answer, said, { abortEarly: true });
  if (!parsed.success) throw refusedList('the format of the answer is not valid');
  if (parsed.output.list !== undefined) await receiveProposal(ctx, parsed.output.list, nodeId);
}

/** Answers nodes of the pool that ask for a proposal. */
export function answerProposals(ctx: Context): Parameters<GossipPort['respond']>[1] {
  return {
    strangers: false,
    maxBytes: 1_024,
    async answer(asked: unknown, _peer: Peer) {
      const parsed = v.safeParse(question, asked);
      if (!parsed.success) return {};
      const row = await proposalRow(ctx, parsed.output.poolId, parsed.output.hash);
      return row === undefined ? {} : { list: { document: row.document, signatures: signaturesOf(row) } };
    },
  };
}
