import { expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openQuorum, said } from './scene.ts';

it.each(engines)('nobody outside the quorum learns who was removed, on %s', async (engine) => {
  await using scene = await openQuorum(engine, 3);
  const creator = await scene.house.register();
  const all = scene.people.map(({ id }) => id).toSorted();
  const { id: removed } = scene.people[2]!;
  const left = all.filter((id) => id !== removed);
  const body = { document: 'kept', memberIds: all, sharesRequired: 3 };
  const { documentId } = await scene.ask('POST', '/documents/seal', body, creator.token);
  await scene.ask('DELETE', `/members/${removed}`);

  const asked = async (token?: string) => {
    const get = async (path: string) => await scene.ask('GET', path, undefined, token);
    const { document } = await get(`/documents/${documentId}`);
    const { documents } = await get('/documents');
    return {
      documents: [document, ...documents].map(({ memberIds, formerMemberIds }) => [memberIds, formerMemberIds]),
      states: [document, ...documents].map(({ holdersChanged, outOfReach }) => [holdersChanged, outOfReach]),
      formerMembers: (await get(`/documents/${documentId}/can-unlock?memberIds=`)).formerMembers,
      member: said(await scene.call('GET', `/members/${removed}`, undefined, token)),
      epochs: [(await get('/epochs/3')).epoch, ...(await get('/epochs')).epochs.slice(0, 2)].map(
        (one) => one.memberIds,
      ),
    };
  };
  const states = [
    [true, true],
    [true, true],
  ];
  expect(await asked(creator.token)).toEqual({
    documents: [
      [left, []],
      [left, []],
    ],
    states,
    formerMembers: undefined,
    member: '404 MEMBER_NOT_FOUND',
    epochs: [left, left, left],
  });
  expect(await asked(scene.people[0]!.token)).toEqual({
    documents: [
      [all, [removed]],
      [all, [removed]],
    ],
    states,
    formerMembers: [removed],
    member: '200 success',
    epochs: [all, left, all],
  });
});
