import { describe, expect, it } from 'vitest';
import type { ApiAnswer, House } from '../../support/house.ts';
import { withTwoProcesses } from '../../support/two-processes.ts';
import { bothEngines, engines } from '../../support/stores.ts';
import { proposed, signedVote } from './governing.ts';
import { openQuorum, quorumOf, said, type QuorumScene } from './scene.ts';
import { inStage } from '../../support/stage.ts';

const VOTES = inStage(20, 20, 50);

/** Many approvals at once, each of which would decide after the first one. @returns what they were told */
async function manyVotes(scene: QuorumScene, houses: readonly House[]) {
  const [first, ...others] = scene.people;
  const proposal = await proposed(scene, first!, 'CHANGE_THRESHOLD', { threshold: 3 });
  const answers = await Promise.all(
    Array.from({ length: VOTES }, async (_, at): Promise<ApiAnswer> => {
      const person = others[at % others.length]!;
      const body = { decision: 'approve', signature: signedVote(scene, proposal, person, 'approve') };
      const house = houses[at % houses.length]!;
      const path = `/api/quorum/proposals/${proposal.id}/votes`;
      return await house.api('POST', path, { token: person.token, body });
    }),
  );
  return { proposal, answers };
}

async function assertOnce(scene: QuorumScene, { proposal, answers }: Awaited<ReturnType<typeof manyVotes>>) {
  const told = answers.map(said);
  expect(new Set(told)).toEqual(new Set(['200 success', '409 PROPOSAL_DECIDED']));
  const executed = answers.filter(({ body }) => body.proposal?.status === 'executed');
  expect(executed).toHaveLength(1);
  const { db } = scene.house.ctx;
  const decisions = db.selectFrom('quorum_audit').select('action').where('subject', '=', `proposal/${proposal.id}`);
  const actions = (await decisions.execute()).map(({ action }) => action);
  expect(actions.filter((action) => action === 'PROPOSAL_EXECUTED')).toHaveLength(1);
  expect(actions.filter((action) => action === 'VOTE_CAST')).toHaveLength(
    answers.filter(({ status }) => status === 200).length,
  );
  const epochs = db.selectFrom('quorum_epochs').select('number').where('proposal_id', '=', proposal.id);
  expect(await epochs.execute()).toHaveLength(1);
}

// Two processes are the harder case for PostgreSQL.
describe.each(engines)('many votes at once on %s', (engine) => {
  it('carry out what they decide once', async () => {
    await using scene = await openQuorum(engine, 11);
    await assertOnce(scene, await manyVotes(scene, [scene.house]));
  });
});

describe.runIf(bothEngines.includes('postgres'))('many votes over two processes on one database of postgres', () => {
  it('carry out what they decide once', async () => {
    await withTwoProcesses(async (one, other) => {
      const scene = await quorumOf(one, await one.administrator(), 11);
      await assertOnce(scene, await manyVotes(scene, [one, other]));
      for (const house of [one, other]) {
        const { token } = scene.administrator;
        const { body } = await house.api('GET', '/api/quorum/audit/verify', { token });
        expect(body.verification).toMatchObject({ valid: true, faults: [] });
      }
    });
  });
});
