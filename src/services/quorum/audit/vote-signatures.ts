import { setImmediate as breathe } from 'node:timers/promises';
import type { Context } from '../../../service/context.ts';
import type { Fault } from '../../../base/faults.ts';
import { ballotsOf, isSigned, type Ballot } from '../proposals/ballots.ts';
import { digestOf } from './row-digests.ts';

/**
 * Finds votes that nobody signed although the trail has them: only somebody who has the secrets of the node can make one.
 *
 * @param digests of changed rows by their places; votes that have another digest are found as changed
 */
export async function unsignedVotes(ctx: Context, digests: ReadonlyMap<string, string | null>): Promise<Fault[]> {
  const places = [...digests.keys()].filter((place) => place.startsWith('votes/'));
  const faults: Fault[] = [];
  for (const proposalId of new Set(places.map((place) => place.split('/')[1] ?? ''))) {
    const proposal = await ctx.db
      .selectFrom('quorum_proposals')
      .selectAll()
      .where('id', '=', proposalId)
      .executeTakeFirst();
    // That it is missing is found among the rows.
    if (proposal === undefined) continue;
    for (const ballot of await ballotsOf(ctx, proposalId)) {
      const place = `votes/${proposalId}/${ballot.voter_id}`;
      if (digests.get(place) !== digestOf(voteOf(ballot)) || !isTestable(ballot)) continue;
      if (!isSigned(ctx, proposal, ballot, new Map()))
        faults.push({ index: null, what: `${place} has a wrong signature` });
      await breathe();
    }
  }
  return faults;
}

function voteOf(ballot: Ballot): Record<string, unknown> {
  const { member_key: _key, account_id: _account, account_key: _accountKey, linked_at: _linked, ...vote } = ballot;
  return vote;
}

/** An account that signed can be gone since, or the member linked to another one. */
function isTestable(ballot: Ballot): boolean {
  if (ballot.signed_by === 'member') return true;
  return ballot.account_key !== null && ballot.linked_at !== null && ballot.linked_at <= ballot.created_at;
}
