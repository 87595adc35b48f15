import { perform, type Caller } from '../../client/perform.ts';
import { ledger } from '../../contract/ledger.ts';
import type { ReplyOf } from '../../contract/operation.ts';
import { Problem } from '../../base/problem.ts';

type Recovery = ReplyOf<(typeof ledger)['recovery']>;

/** What the node noticed. @throws Problem conflict NODE_NOT_STOPPED when there is nothing to recover */
export async function found(client: Caller): Promise<Recovery> {
  const recovery = await perform(client, ledger.recovery, {});
  if (recovery.stopped.length > 0) return recovery;
  throw new Problem('conflict', 'NODE_NOT_STOPPED', 'This node signs, so there is nothing to recover.');
}

export async function recover(client: Caller, { recovers, stopped, missing }: Recovery) {
  const done = await perform(client, ledger.recover, { size: recovers.size });
  return { ...done, stopped, missing };
}

export function describeRecovered({ logKey }: ReplyOf<(typeof ledger)['recover']>): string {
  return `The node signs again. Its log key is now:\n${logKey}\nGive it to those who verify proofs with --key.`;
}

/** What was noticed and what a recovery does, in sentences. */
export function describeRecovery({ stopped, recovers, size, missing }: Recovery): string {
  return [
    ...stopped.map(({ what, toldBy }) => `${what} Noticed by: ${toldBy}`),
    `This store has ${size} entries. The largest ledger that this node is known to have signed has ${recovers.size}, known from ${recovers.from}.`,
    ...(missing > 0
      ? [
          `At least ${missing} ${missing === 1 ? 'entry that was signed is' : 'entries that were signed are'} not in this store. If a newer backup exists, restore it instead.`,
        ]
      : stopped.some(({ kind }) => kind !== 'cloned')
        ? // The store has recorded as many others since, so the numbers don't show it.
          ['Entries that were signed are not in this store. If a newer backup exists, restore it instead.']
        : []),
    ...(stopped.some(({ kind }) => kind === 'cloned')
      ? ['Stop every other process that has the node secret first, or the nodes will notice it again.']
      : []),
    'A recovery begins a new log with a new log key. Its first entry names the end of the old log. All entries in this store stay.',
    'Other nodes will see that this node was recovered. What it signed of the old log stays valid.',
  ].join('\n');
}
