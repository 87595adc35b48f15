import { describe, expect, it } from 'vitest';
import { chat } from '../../../src/contract/chat.ts';
import { chatRoles, type ChatRole } from '../../../src/contract/chat/conversation.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { done } from './chat-scene.ts';
import {
  castOf,
  ending,
  operations,
  ownerOf,
  permitted,
  permittedInChannels,
  permittedOver,
  tried,
  withoutRoles,
  type Cast,
} from './role-table.ts';

const ranks: Readonly<Record<ChatRole, number>> = { owner: 3, admin: 2, moderator: 1, member: 0 };

async function withRole({ house, type, conversationId, of }: Cast, role: ChatRole): Promise<string[]> {
  const page = await done(house, operations.get(`chat.${type}-members`)!, of.admin[0]!, { conversationId, role });
  return (page as { readonly items: readonly { readonly memberId: string }[] }).items.map((one) => one.memberId);
}

describe('the table of roles', () => {
  it('has all that can be done in groups and channels, and nothing else', () => {
    const rows = Object.values({ ...permittedInChannels, ...permittedOver, ...ending }).map((one) => one.operation);
    const stated = new Set([...rows, ...Object.values(withoutRoles).flatMap((names) => names.split(' '))]);
    // `chat.group-kick` and `chat.channel-kick` are one row; conversations of two have no roles.
    const nameOf = (id: string) =>
      id.replace('chat.', '').replace(/^(?:group|channel)(?=-|$)|(?<=-)(?:group|channel)$/, '*');
    const ids = Object.values(chat).flatMap(({ id }) => (id.startsWith('chat.direct-') ? [] : [id]));
    const alone = new Set(['create-group', 'create-channel', 'join-channel']);
    const existing = ids.map((id) => (alone.has(id.replace('chat.', '')) ? id.replace('chat.', '') : nameOf(id)));
    expect([...stated].toSorted()).toEqual([...new Set(existing)].toSorted());
  });
});

const places = engines.flatMap((engine) => (['group', 'channel'] as const).map((type) => [type, engine] as const));

describe.each(places)('roles in a %s on %s', (type, engine) => {
  it('allow what the table says, to whom it says it', async () => {
    await using house = await openHouse(engine);
    const cast = await castOf(house, type);
    const found: string[] = [];
    const wanted: string[] = [];
    const rows = Object.entries({ ...(type === 'group' ? permitted : permittedInChannels), ...ending });
    for (const [action, { operation, allowed, otherwise, attempt }] of rows) {
      if (!operations.has(`chat.${operation.replace('*', type)}`)) continue;
      for (const role of chatRoles.toReversed()) {
        house.clock.advance(60_000);
        const actor = cast.of[role][0]!;
        found.push(`${role} ${action}: ${await attempt(cast, actor, actor)}`);
        wanted.push(`${role} ${action}: ${allowed.includes(role) ? 'done' : otherwise}`);
      }
    }
    expect(found).toEqual(wanted);
  });

  it('allow what the table says over members below them only', async () => {
    await using house = await openHouse(engine);
    const cast = await castOf(house, type);
    const found: string[] = [];
    const wanted: string[] = [];
    for (const [action, { allowed, otherwise, attempt }] of Object.entries(permittedOver))
      for (const role of chatRoles)
        for (const subjectRole of chatRoles) {
          if (role === 'owner' && subjectRole === 'owner') continue;
          house.clock.advance(3_600_000);
          const subject = cast.of[subjectRole].at(-1)!;
          found.push(`${role} ${action} ${subjectRole}: ${await attempt(cast, cast.of[role][0]!, subject)}`);
          const isAllowed = allowed.includes(role) && ranks[role] > ranks[subjectRole];
          wanted.push(`${role} ${action} ${subjectRole}: ${isAllowed ? 'done' : otherwise}`);
        }
    expect(found).toEqual(wanted);
  });

  it('are nothing that somebody does to themselves, and one owner is always there', async () => {
    await using house = await openHouse(engine);
    const cast = await castOf(house, type);
    const { of, stranger } = cast;
    const owner = ownerOf(cast);
    const { memberId } = owner;
    expect(await tried(cast, '*-set-role', owner, { memberId, role: 'member' })).toBe('403 FORBIDDEN');
    expect(await tried(cast, '*-kick', owner, { memberId })).toBe('403 FORBIDDEN');
    expect(await tried(cast, '*-ban', owner, { memberId })).toBe('403 FORBIDDEN');
    const strange = { memberId: stranger.memberId, role: 'owner' };
    expect(await tried(cast, '*-set-role', owner, strange)).toBe('404 NOT_IN_ROOM');
    const heir = of.member[0]!.memberId;
    expect(await tried(cast, '*-set-role', owner, { memberId: heir, role: 'owner' })).toBe('done');
    expect(await withRole(cast, 'owner')).toEqual([heir]);
    expect(await withRole(cast, 'admin')).toContain(memberId);
  });
});
