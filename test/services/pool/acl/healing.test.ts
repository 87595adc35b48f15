import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inStage, runs } from '../../../support/stage.ts';
import { history, NODES, play, type Change, type History, type Step } from './parted-pool.ts';

const changeAt = (node: number, by: number, change: Change): Step => ({ kind: 'change', node, by, change });

/**
 * Branches remove all administrators together, so that the first one in the list stays. The same one is treated as removed where the list
 * that counts was signed by somebody whom a branch removed.
 */
const spared: History = {
  nodeAdmins: 2,
  steps: [
    changeAt(3, 0, { kind: 'remove-admin', which: 6 }),
    changeAt(4, 0, { kind: 'remove-admin', which: 0 }),
    changeAt(3, 0, { kind: 'remove-admin', which: 7 }),
    { kind: 'hear', node: 1, from: 3 },
    changeAt(1, 0, { kind: 'remove-admin', which: 2 }),
    changeAt(0, 3, { kind: 'remove', which: 0 }),
    changeAt(2, 0, { kind: 'remove-admin', which: 5 }),
    changeAt(3, 0, { kind: 'remove-admin', which: 6 }),
    changeAt(0, 0, { kind: 'approve' }),
    changeAt(0, 0, { kind: 'remove', which: 0 }),
    changeAt(4, 0, { kind: 'remove-admin', which: 9 }),
  ],
  order: [9, 20, 10, 8, 11, 5, 19, 0, 18, 21, 24, 2, 12, 14, 15, 22, 6, 1, 4, 13, 7, 3, 16, 23, 17],
};

describe('a pool that was parted any number of times', () => {
  it(
    'ends with one list on every node, loses no removal, no sooner end and no stricter mode, and makes few versions of its own',
    { tags: 'thorough', timeout: 900_000 },
    () => {
      fc.assert(
        fc.property(history, (past) => {
          const { known, heads, inForce, path, decided, merges, unfollowed, rounds } = play(past);
          expect(new Set(heads.map(({ hash }) => hash)).size).toBe(1);
          expect(new Set(inForce.map((document) => JSON.stringify(document))).size).toBe(1);
          const [end] = inForce;
          const ownKeys = new Set(end!.admins.map(({ publicKey }) => publicKey));
          const final = new Map(end!.writers.map((one) => [one.nodeId, one]));
          const endAdmins = new Set(end!.admins.map(({ memberId }) => memberId));
          const everRemoved = new Set(
            path.flatMap(({ document }, at) =>
              document.admins
                .map(({ memberId }) => memberId)
                .filter((memberId) => path[at + 1]?.document.admins.every((one) => one.memberId !== memberId)),
            ),
          );
          for (const { before, list, signer } of decided) {
            const left = new Set(list.document.writers.map(({ nodeId }) => nodeId));
            for (const { nodeId } of before.writers.filter((one) => !left.has(one.nodeId))) {
              const kept = final.get(nodeId);
              // A removed administrator can't remove the node of an administrator.
              const protects = kept !== undefined && ownKeys.has(kept.publicKey);
              if (!protects || (endAdmins.has(signer) && !everRemoved.has(signer))) expect(kept).toBe(undefined);
            }
            for (const { nodeId, expiresAt } of list.document.writers) {
              const kept = final.get(nodeId);
              if (expiresAt === null || kept === undefined || ownKeys.has(kept.publicKey)) continue;
              expect(kept.expiresAt !== null && kept.expiresAt <= expiresAt).toBe(true);
            }
            expect(['open', 'approval', 'closed'].indexOf(end!.mode)).toBeGreaterThanOrEqual(
              ['open', 'approval', 'closed'].indexOf(list.document.mode),
            );
            const stay = new Set(list.document.admins.map(({ memberId }) => memberId));
            for (const { memberId } of before.admins.filter((one) => !stay.has(one.memberId)))
              if (endAdmins.has(signer) && !everRemoved.has(signer) && endAdmins.size > 1)
                expect(end!.admins.every((one) => one.memberId !== memberId)).toBe(true);
          }
          expect(unfollowed).toBe(0);
          expect(rounds).toBeLessThan(10);
          expect(merges).toBeLessThanOrEqual(NODES + decided.length);
          expect(known[0]!.size).toBe(1 + decided.length + merges);
        }),
        { numRuns: runs(inStage(400, 160, 400)), examples: [[spared]] },
      );
    },
  );
});
