import { describe, expect, it } from 'vitest';
import { finishUnseal, openSession } from '../../../src/client/quorum/unseal.ts';
import type { Context } from '../../../src/service/context.ts';
import { inStage } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { callerOf } from './callers.ts';
import { begun, confirmed, dealt, rejection, unsealed } from './resharing.ts';
import { openQuorum, said } from './scene.ts';
import { contributed, contributionOf, opened, sealed } from './sealing.ts';

/** Shares that could still be read although nobody may. */
async function leftOver({ db }: Context): Promise<unknown[]> {
  return await db
    .selectFrom('quorum_contributions as c')
    .innerJoin('quorum_sessions as s', 's.id', 'c.session_id')
    .innerJoin('quorum_members as m', 'm.id', 'c.member_id')
    .innerJoin('quorum_documents as d', 'd.id', 's.document_id')
    .where('c.encrypted_share', 'is not', null)
    .where((e) =>
      e.or([e('s.status', '!=', 'open'), e('m.active', '=', 0), e('s.generation', '!=', e.ref('d.generation'))]),
    )
    .select(['c.session_id', 'c.member_id', 's.status'])
    .execute();
}

describe.each(bothEngines)('at the same moment on %s', (engine) => {
  it('a contribution either came before the end of its session, and is erased, or is refused', async () => {
    await using scene = await openQuorum(engine, 3);
    const [ann, bob] = scene.people;
    const document = await sealed(scene);
    for (let round = 0; round < inStage(2, 2, 4); round += 1) {
      const session = await opened(scene, document.id, ann!.token);
      const body = await contributionOf(scene, session, bob!);
      const give = async () => await scene.call('POST', `${session.path}/contributions`, body, bob!.token);
      const end = async () => await scene.call('DELETE', session.path, {}, ann!.token);
      const answers = await Promise.all(round % 2 === 0 ? [give(), end()] : [end(), give()]);
      const [given, ended] = round % 2 === 0 ? answers : answers.toReversed();
      expect(said(ended!)).toBe('200 success');
      expect(['201 success', '409 UNSEAL_SESSION_ENDED']).toContain(said(given!));
      expect(await leftOver(scene.house.ctx)).toEqual([]);
    }
  });

  it('a member who is removed leaves no contribution, whichever came first', async () => {
    await using scene = await openQuorum(engine, 6);
    const [ann, ...others] = scene.people;
    const document = await sealed(scene);
    for (const person of others.slice(0, inStage(1, 1, 3))) {
      const session = await opened(scene, document.id, ann!.token);
      const body = await contributionOf(scene, session, person);
      const [given] = await Promise.all([
        scene.call('POST', `${session.path}/contributions`, body, person.token),
        scene.ask('DELETE', `/members/${person.id}`),
      ]);
      expect(['201 success', '404 UNSEAL_SESSION_NOT_FOUND', '403 FORBIDDEN']).toContain(said(given));
      expect((await scene.ask('GET', session.path, undefined, ann!.token)).session.contributions).toEqual([]);
      expect(await leftOver(scene.house.ctx)).toEqual([]);
    }
  });

  it('two sessions of one document open it both, and each erases its own shares', { tags: 'soak' }, async () => {
    await using scene = await openQuorum(engine, 3);
    const document = await sealed(scene);
    const contents = await Promise.all([
      unsealed(scene, document.id, scene.people.slice(0, 2)),
      unsealed(scene, document.id, scene.people.slice(1)),
    ]);
    expect(contents).toEqual([document.content, document.content]);
    expect(await leftOver(scene.house.ctx)).toEqual([]);
  });

  it('new shares end every session of the old ones, also one that is just opened or given to', async () => {
    await using scene = await openQuorum(engine, 3);
    const [ann, bob, cyd] = scene.people;
    const document = await sealed(scene);
    const ticket = await dealt(scene, { documentId: document.id, dealer: ann!, givers: [ann!, bob!], rekey: true });
    const caller = callerOf(scene.house.fetch, cyd!);
    const waiting = await openSession(caller, { documentId: document.id, reason: 'Meanwhile' });
    const session = await opened(scene, document.id, bob!.token);
    await contributed(scene, session, bob!);
    const body = await contributionOf(scene, session, cyd!);
    await confirmed(scene, ticket, ann!);
    const [last, given, fresh] = await Promise.all([
      confirmed(scene, ticket, bob!),
      scene.call('POST', `${session.path}/contributions`, body, cyd!.token),
      opened(scene, document.id, cyd!.token),
    ]);
    expect(last).toBe('done');
    expect(['201 success', '409 UNSEAL_SESSION_ENDED']).toContain(said(given));
    expect(await leftOver(scene.house.ctx)).toEqual([]);
    const { session: shown } = await scene.ask('GET', fresh.path, undefined, cyd!.token);
    expect(shown.status).toBe(shown.generation === 2 ? 'open' : 'cancelled');
    expect(await rejection(finishUnseal(caller, waiting.ticket))).toContain('UNSEAL_SESSION_ENDED');
    expect(await unsealed(scene, document.id, [ann!, cyd!])).toEqual(document.content);
  });

  it('one re-sharing begins, and one confirmation switches', async () => {
    await using scene = await openQuorum(engine, 4);
    const [ann, bob, cyd, dan] = scene.people;
    const document = await sealed(scene);
    const given = { documentId: document.id, givers: [] };
    const begins = await Promise.all(
      [ann!, bob!, cyd!].map(async (dealer) => await rejection(begun(scene, { ...given, dealer }))),
    );
    expect(begins.filter((outcome) => outcome === 'no error')).toHaveLength(1);
    expect(begins.filter((outcome) => outcome.startsWith('RESHARE_IN_PROGRESS'))).toHaveLength(2);
    const { reshares } = await scene.ask('GET', '/reshares?which=mine', undefined, ann!.token);
    const mine = reshares[0] ?? {};
    for (const person of [ann!, bob!, cyd!]) {
      const own = (await scene.ask('GET', '/reshares?which=mine', undefined, person.token)).reshares[0];
      if (own === undefined) continue;
      await scene.ask('DELETE', `/documents/${document.id}/reshares/${own.id}`, undefined, person.token);
    }
    expect([undefined, 'collecting']).toContain(mine.status);
    const ticket = await dealt(scene, { ...given, dealer: ann!, givers: [bob!, dan!] });
    const outcomes = await Promise.all(
      scene.people.map(async (person) => await rejection(confirmed(scene, ticket, person))),
    );
    expect(outcomes.filter((outcome) => outcome === 'no error').length).toBeGreaterThanOrEqual(2);
    const switched = await scene.house.ctx.db
      .selectFrom('quorum_audit')
      .select('id')
      .where('action', '=', 'DOCUMENT_RESHARED')
      .execute();
    expect(switched).toHaveLength(1);
    expect(await unsealed(scene, document.id, [cyd!, dan!])).toEqual(document.content);
  });
});
