import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { testRandom } from '../../support/seeded.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { runDueJobs } from './due-jobs.ts';
import { modelJobs, modelTally, modelVote, type Model } from './governance-model.ts';
import { proposing, voting } from './governing.ts';
import { openQuorum, type Person, type QuorumScene } from './scene.ts';

const PEOPLE = 5;
const STEPS = 70;
const MINUTE = 60_000;

async function propose(scene: QuorumScene, model: Model, by: Person, random: () => number): Promise<void> {
  const threshold = random() < 0.3 ? 2 + Math.floor(random() * 3) : undefined;
  const expiresAt = scene.house.clock.now() + Math.ceil(random() * 10) * MINUTE;
  const type = threshold === undefined ? 'CUSTOM' : 'CHANGE_THRESHOLD';
  const payload = threshold === undefined ? {} : { threshold };
  const { status, body } = await proposing(scene, by, type, payload, {
    expiresAt: new Date(expiresAt).toISOString(),
  });
  const isPossible = model.active.has(by.id) && (threshold ?? 2) <= model.active.size;
  expect([type, payload, status === 201]).toEqual([type, payload, isPossible]);
  if (!isPossible) return;
  const [members, required] = [new Set(model.active), model.threshold];
  model.proposals.push({
    id: body.proposal.id,
    members,
    required,
    expiresAt,
    threshold,
    votes: new Map(),
    status: 'pending',
  });
}

/** The member goes, or comes back with the same key. */
async function come(scene: QuorumScene, model: Model, person: Person): Promise<void> {
  if (!model.active.has(person.id)) {
    const body = { name: 'B', accountId: person.memberId, publicKey: toHex(person.keys.publicKey) };
    await scene.ask('POST', '/members', body);
    model.active.add(person.id);
    return;
  }
  const { status } = await scene.call('DELETE', `/members/${person.id}`);
  const isPossible = model.active.size > model.threshold;
  expect(status).toBe(isPossible ? 200 : 400);
  if (isPossible) model.active.delete(person.id);
}

async function vote(scene: QuorumScene, model: Model, person: Person, random: () => number): Promise<void> {
  // Most votes are on one of the newest.
  const proposal = model.proposals.at(-1 - Math.floor(random() * 4));
  if (proposal === undefined) return;
  const decision = (['approve', 'approve', 'reject', 'abstain'] as const)[Math.floor(random() * 4)]!;
  const { status, body } = await voting(scene, person, proposal.id, decision);
  const told = status === 200 ? `200 ${body.proposal.status}` : String(status);
  expect(told).toBe(modelVote(model, proposal, person.id, decision, scene.house.clock.now()));
}

async function compare(scene: QuorumScene, model: Model): Promise<void> {
  for (const proposal of model.proposals) {
    const shown = await scene.ask('GET', `/proposals/${proposal.id}`);
    expect(shown.proposal.status).toBe(proposal.status);
    const { electorate, ...counts } = modelTally(model, proposal);
    expect(shown.tally).toEqual({ ...counts, electorate: electorate.toSorted() });
  }
}

describe.each(engines)('proposals, votes, removals and expiries in any order on %s', (engine) => {
  it.each(inStage([1], [1], [1, 2, 3]))('follow the rules, round %d', async (round) => {
    const random = testRandom();
    for (let skipped = 1; skipped < round * 1000; skipped += 1) random();
    await using scene = await openQuorum(engine, PEOPLE);
    const { people, house } = scene;
    const model: Model = { active: new Set(people.map(({ id }) => id)), proposals: [], threshold: 2 };
    // Most of what is proposed later is impossible, since fewer and fewer members are active.
    while (model.proposals.length === 0) await propose(scene, model, people[0]!, random);
    for (let step = 0; step < STEPS; step += 1) {
      const person = people[Math.floor(random() * PEOPLE)]!;
      const dice = random();
      if (dice < 0.2) await propose(scene, model, person, random);
      else if (dice < 0.3) await come(scene, model, person);
      else if (dice < 0.4) house.clock.advance(Math.ceil(random() * 3 * MINUTE));
      else if (dice < 0.5) {
        await runDueJobs(scene);
        modelJobs(model, house.clock.now());
      } else await vote(scene, model, person, random);
    }
    await runDueJobs(scene);
    modelJobs(model, house.clock.now());
    await compare(scene, model);
    expect(model.proposals.length).toBeGreaterThan(0);
  });
});
