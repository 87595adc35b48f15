import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/contract/operation.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openHubs, said } from './hub-scene.ts';
import { socialRows } from './stored-rows.ts';

const nobody = 'f'.repeat(24);
const nothing = 'f'.repeat(32);
const invalid = '400 VALIDATION_ERROR';
const unseen = ['\u200b', '\u200b\u2060', '\u3164', '\u2800'];
const turning = ['\u202eabc', 'a\u2066b\u2069'];
const names = [
  ...unseen,
  ...turning,
  '',
  '  ',
  'x'.repeat(101),
  'a\u0000b',
  '\u001b[2J',
  'a\nb',
  '\ud800',
  1,
  null,
  ['x'],
];
const slugs = ['', 'a b', 'a\u0000', '\u202eabc', 'x'.repeat(200), '../x', 1, null];
const icons = [...unseen, ...turning];
const reasons = [...unseen, ...turning, 'x'.repeat(5_000), 'a\u0000b', '\ud800', 1, null];
const days = [0, -1, 1.5, 1e9, 'a week', null];

type Asked = readonly [who: HouseMember, method: Method, path: string, answer: string, body?: unknown];

describe.each(engines)('check 26, bad input for hubs on %s', (engine) => {
  it('is refused with a reason, and changes no row', async () => {
    await using scene = await openHubs(engine, 4);
    const [ada, bob, cyd, eve] = scene.people as [HouseMember, HouseMember, HouseMember, HouseMember];
    const hub = await scene.hub(ada, [bob, cyd]);
    const below = await scene.hub(ada, [], { parentHubId: hub.id });
    const { id } = hub;
    const target = { userId: bob.memberId };
    const measures: Asked[] = [];
    for (const act of ['ban', 'warn', 'temp-ban']) {
      const fine = { ...target, durationDays: 1, reason: 'x' };
      const path = `/${id}/${act}`;
      for (const reason of reasons) measures.push([ada, 'POST', path, invalid, { ...fine, reason }]);
      for (const userId of ['', 'x y', 1, null, undefined])
        measures.push([ada, 'POST', path, invalid, { ...fine, userId }]);
      measures.push(
        [ada, 'POST', path, '404 MEMBER_NOT_FOUND', { ...fine, userId: nobody }],
        [cyd, 'POST', path, '403 FORBIDDEN', fine],
        [eve, 'POST', path, '403 FORBIDDEN', fine],
        [ada, 'POST', `/${nothing}/${act}`, '404 HUB_NOT_FOUND', fine],
      );
    }
    const requests: readonly Asked[] = [
      ...names.map((name) => [ada, 'POST', '', invalid, { name }] as const),
      ...names.map((name) => [ada, 'PUT', `/${id}`, invalid, { name }] as const),
      ...slugs.map((slug) => [ada, 'POST', '', invalid, { name: 'Fine', slug }] as const),
      ...icons.map((icon) => [ada, 'PUT', `/${id}`, invalid, { icon }] as const),
      ...['description', 'rules'].flatMap((field) =>
        ['x'.repeat(100_000), 'a\u0000', 1, null].map(
          (text) => [ada, 'POST', '', invalid, { name: 'Fine', [field]: text }] as const,
        ),
      ),
      ...['', 'secret', 1, null].map((trustTier) => [ada, 'POST', '', invalid, { name: 'Fine', trustTier }] as const),
      [ada, 'POST', '', invalid, { name: 'Fine', parentHubId: 'x' }],
      [ada, 'POST', '', '400 HUB_PARENT_INVALID', { name: 'Fine', parentHubId: below.id }],
      [ada, 'POST', '', '400 HUB_PARENT_INVALID', { name: 'Fine', parentHubId: nothing }],
      [ada, 'POST', '', '400 HUB_SLUG_TAKEN', { name: 'Fine', slug: hub.slug }],
      [ada, 'POST', '', '403 FORBIDDEN', { name: 'Fine', ownerId: bob.memberId }],
      [eve, 'POST', '', '403 FORBIDDEN', { name: 'Fine', parentHubId: id }],
      [eve, 'PUT', `/${id}`, '403 FORBIDDEN', { name: 'Mine' }],
      [ada, 'PUT', `/${id}`, '400 HUB_TIER_FIXED', { trustTier: 'encrypted' }],
      ...measures,
      ...days.map(
        (durationDays) => [ada, 'POST', `/${id}/temp-ban`, invalid, { ...target, durationDays, reason: 'x' }] as const,
      ),
      [ada, 'POST', `/${id}/unban`, '404 HUB_BAN_NOT_FOUND', target],
      ...[[], ['x y'], 'bob', null, Array.from({ length: 5_000 }, () => bob.memberId)].flatMap((userIds) =>
        (['POST', 'DELETE'] as const).map((method) => [ada, method, `/${id}/members`, invalid, { userIds }] as const),
      ),
      // One that is wrong, and none is added or removed.
      [ada, 'POST', `/${id}/members`, '404 MEMBER_NOT_FOUND', { userIds: [eve.memberId, nobody] }],
      [ada, 'DELETE', `/${id}/members`, '404 HUB_MEMBER_NOT_FOUND', { userIds: [bob.memberId, eve.memberId] }],
      [ada, 'DELETE', `/${id}/members`, '403 HUB_OWNER_STAYS', { userIds: [bob.memberId, ada.memberId] }],
      [bob, 'POST', `/${id}/members`, '403 FORBIDDEN', { userIds: [eve.memberId] }],
      [ada, 'POST', `/${id}/moderators`, '404 HUB_MEMBER_NOT_FOUND', { userId: eve.memberId }],
      [bob, 'POST', `/${id}/moderators`, '403 FORBIDDEN', { userId: bob.memberId }],
      [ada, 'DELETE', `/${id}/moderators`, '403 HUB_OWNER_STAYS', { userId: ada.memberId }],
      [ada, 'POST', `/${id}/leave`, '403 HUB_OWNER_STAYS'],
      [ada, 'POST', `/${id}/transfer`, '404 HUB_MEMBER_NOT_FOUND', { newOwnerId: eve.memberId }],
      [bob, 'POST', `/${id}/transfer`, '403 FORBIDDEN', { newOwnerId: bob.memberId }],
      [bob, 'DELETE', `/${id}`, '403 FORBIDDEN'],
      [eve, 'POST', `/${nothing}/join`, '404 HUB_NOT_FOUND'],
      [eve, 'POST', '/a%00b/join', invalid],
      [ada, 'GET', `/${id}/moderation-log?limit=0`, invalid],
      [ada, 'GET', `/${id}/members-list?limit=1e9`, invalid],
      [ada, 'GET', `/${id}/posts?cursor=x`, '400 INVALID_CURSOR'],
      [ada, 'GET', `/${id}/posts?sort=best`, invalid],
    ];
    const before = await socialRows(scene.house);
    for (const [who, method, path, answer, body] of requests)
      expect
        .soft([method, path, body, said(await scene.call(who, method, path, body))])
        .toEqual([method, path, body, answer]);
    const after = await socialRows(scene.house);
    for (const [table, rows] of before) expect(after.get(table), table).toEqual(rows);
    expect(scene.house.log.lines.filter((line) => line['level'] === 'error')).toEqual([]);
  });
});
