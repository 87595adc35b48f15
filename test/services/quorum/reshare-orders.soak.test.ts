import { describe, expect, it } from 'vitest';
import { contribute } from '../../../src/client/quorum/contribute.ts';
import { beginReshare, confirmNewShare, dealShares, type ReshareTicket } from '../../../src/client/quorum/reshare.ts';
import { joinKey, openDocument, unwrapShare } from '../../../src/crypto/formats/quorum/document.ts';
import { testRandom } from '../../support/seeded.ts';
import { engines } from '../../support/stores.ts';
import { callerOf } from './callers.ts';
import { runDueJobs } from './due-jobs.ts';
import { openQuorum, type Person, type QuorumScene } from './scene.ts';
import { sealed } from './sealing.ts';

const HOUR = 3_600_000;
const ROUNDS = 12;

/** Opens a document with the shares that are stored for these members; the members are those of the current generation. */
async function opens(
  { house: { ctx } }: QuorumScene,
  documentId: string,
  draw: (all: Person[]) => Person[],
  people: readonly Person[],
) {
  const row = await ctx.db
    .selectFrom('quorum_documents')
    .selectAll()
    .where('id', '=', documentId)
    .executeTakeFirstOrThrow();
  const shares = await ctx.db.selectFrom('quorum_shares').selectAll().where('document_id', '=', documentId).execute();
  const current = shares.filter(({ generation }) => generation === row.generation);
  const holders = people.filter(({ id }) => current.some((share) => share.member_id === id));
  const bare = draw(holders)
    .slice(0, row.shares_required)
    .map(({ id, keys }) => {
      const { encrypted_share: encryptedShare, salt, commitment } = current.find((share) => share.member_id === id)!;
      const place = { documentId, memberId: id, epochNumber: row.epoch, generation: row.generation };
      return unwrapShare(keys.privateKey, { encryptedShare, salt, commitment }, place);
    });
  const content = openDocument(await joinKey(bare), row.header, await ctx.blocks.get(row.block_id));
  return {
    content,
    generation: row.generation,
    generations: new Set(shares.map((share) => share.generation)),
    holders,
  };
}

describe.each(engines)('re-sharing on %s', (engine) => {
  it('never loses a document, whoever is killed or cancels at whatever step', async () => {
    const drawn = testRandom();
    const random = (below: number) => Math.floor(drawn() * below);
    const shuffled = <T>(all: readonly T[]): T[] =>
      all
        .map((one) => [drawn(), one] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, one]) => one);
    const quorum = { threshold: 2, sessionMs: HOUR, reshareMs: HOUR, permitMs: HOUR, timelockMs: 0 };
    await using scene = await openQuorum(engine, 8, { config: { quorum } });
    const { people, house } = scene;
    const first = shuffled(people).slice(0, 2 + random(7));
    const document = await sealed(scene, { holders: first, sharesRequired: 2 + random(first.length - 1) });
    let generation = 1;
    const steps: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { holders } = await opens(scene, document.id, shuffled, people);
      const row = await house.ctx.db
        .selectFrom('quorum_documents')
        .selectAll()
        .where('id', '=', document.id)
        .executeTakeFirstOrThrow();
      const dealer = shuffled(holders)[0]!;
      const to = shuffled(people).slice(0, 2 + random(7));
      const sharesRequired = 2 + random(to.length - 1);
      const rekey = random(2) === 0;
      // The number of the request of the dealer, or of a holder, at whose answer the process dies.
      let left = random(3) === 0 ? random(9) : Number.POSITIVE_INFINITY;
      const fetch = async (request: Request) => {
        const answer = await house.fetch(request);
        left -= 1;
        if (left < 0) throw new Error('killed');
        return answer;
      };
      const fate = ['done', 'cancelled', 'expired', 'killed'][random(4)]!;
      steps.push(
        `${holders.length}/${row.shares_required} -> ${to.length}/${sharesRequired} rekey ${rekey} ${fate} ${left}`,
      );
      let ticket: ReshareTicket | undefined;
      try {
        const wanted = {
          documentId: document.id,
          reason: 'Round',
          memberIds: to.map(({ id }) => id),
          sharesRequired,
          rekey,
        };
        ({ ticket } = await beginReshare(callerOf(house.fetch, dealer), wanted));
        for (const person of shuffled(holders).slice(0, row.shares_required))
          await contribute(callerOf(house.fetch, person), ticket, person.keys);
        const deal = async (how: typeof fetch) => await dealShares(callerOf(how, dealer), ticket!);
        await deal(fetch).catch(async (error: unknown) => {
          if (!(error instanceof Error && error.message === 'killed')) throw error;
          left = Number.POSITIVE_INFINITY;
          expect((await opens(scene, document.id, shuffled, people)).content).toEqual(document.content);
          if (fate !== 'killed') await deal(house.fetch);
        });
        const confirming = shuffled(to).slice(0, fate === 'done' ? sharesRequired : random(sharesRequired));
        for (const person of confirming) {
          expect((await opens(scene, document.id, shuffled, people)).generation).toBe(generation);
          await confirmNewShare(callerOf(house.fetch, person), ticket, person.keys).catch((error: unknown) => {
            // The dealer is gone before the shares were stored.
            if (fate !== 'killed') throw error;
          });
        }
        if (fate === 'done') generation += 1;
      } finally {
        if (fate !== 'done' && ticket !== undefined) {
          if (fate === 'cancelled')
            await scene.ask(
              'DELETE',
              `/documents/${document.id}/reshares/${ticket.reshareId}`,
              undefined,
              dealer.token,
            );
          else {
            house.clock.advance(HOUR);
            await runDueJobs(scene);
          }
        }
      }
      const after = await opens(scene, document.id, shuffled, people);
      expect([steps, after.generation, after.content]).toEqual([steps, generation, document.content]);
      expect([steps, [...after.generations]]).toEqual([steps, [generation]]);
      expect([steps, (await house.ctx.blocks.stat()).blocks]).toEqual([steps, 1]);
    }
  });
});
