import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { threads } from '../../../src/contract/chat/threads.ts';
import { social } from '../../../src/contract/social.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { runs } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { done, groupOf } from './chat-scene.ts';
import { openChat, type ChatScene } from './scene.ts';

const kinds = ['send', 'answer', 'answer', 'answer', 'delete', 'block', 'unblock'] as const;
const readings = ['read', 'read thread', 'follow', 'unfollow', 'leave', 'come', 'name'] as const;
const step = fc.record({
  does: fc.constantFrom(...kinds, ...readings),
  who: fc.nat(2),
  which: fc.nat(20),
  upTo: fc.nat(20),
});
type Step = { readonly does: string; readonly who: number; readonly which: number; readonly upTo: number };

/** What members did, as they would tell it. */
class Told {
  readonly sent: ChatMessage[] = [];
  /** by member and thread */
  readonly read = new Map<string, number>();
  readonly following = new Map<string, boolean>();
  readonly chosen = new Set<string>();
  readonly absent = new Set<string>();

  follow(memberId: string, threadId: string): void {
    const key = `${memberId} ${threadId}`;
    if (!this.absent.has(memberId) && !this.chosen.has(key)) this.following.set(key, true);
  }

  leave(memberId: string): void {
    this.absent.add(memberId);
    for (const facts of [this.read, this.following, this.chosen])
      for (const key of facts.keys()) if (key.startsWith(memberId)) facts.delete(key);
  }
}

const rootOf = ({ id, threadId }: ChatMessage): string => threadId ?? id;

/** Does what makes sense at the time; what is refused then changes nothing. */
async function perform(
  { house }: ChatScene,
  conversationId: string,
  people: readonly HouseMember[],
  told: Told,
  { does, who, which, upTo }: Step,
): Promise<void> {
  const [owner] = people as readonly [HouseMember];
  const member = people[who] as HouseMember;
  const other = people[(who + 1) % people.length] as HouseMember;
  const { memberId, token } = member;
  const at = told.sent[which % Math.max(1, told.sent.length)];
  const call = async (...request: Parameters<typeof house.perform>) => await house.perform(...request);
  house.clock.advance(1);
  // Who is blocked already, or not, is told so.
  if (does === 'block' || does === 'unblock') return void (await call(social[does], { id: other.memberId }, token));
  if (does === 'come') {
    if (!told.absent.has(memberId)) return;
    await done(house, members.groupAddMembers, owner, { conversationId, memberIds: [memberId] }).then(
      () => void told.absent.delete(memberId),
      // A block parts them.
      () => undefined,
    );
    return;
  }
  if (told.absent.has(memberId)) return;
  if (does === 'leave') {
    if (member === owner) return;
    await done(house, members.groupLeave, member, { conversationId });
    return told.leave(memberId);
  }
  if (does === 'read') return void (await call(places.groupRead, { conversationId, seq: upTo }, token));
  if (does === 'send' || at === undefined)
    return void told.sent.push(await done(house, groups.sendToGroup, member, { conversationId, content: 'Said' }));
  const of = { conversationId, messageId: at.id };
  const key = `${memberId} ${rootOf(at)}`;
  if (does === 'delete') return void (await call(messages.groupDeleteMessage, of, token));
  if (does === 'read thread') {
    const { status, body } = await call(threads.groupReadThread, { ...of, seq: upTo }, token);
    if (status === 200) told.read.set(key, Math.max(told.read.get(key) ?? 0, body.data.seq));
    return;
  }
  if (does === 'follow' || does === 'unfollow') {
    const following = does === 'follow';
    const { status } = await call(threads.groupFollowThread, { ...of, following }, token);
    if (status !== 200) return;
    told.following.set(key, following);
    told.chosen.add(key);
    return;
  }
  const content = does === 'name' ? `@${other.username} Answered` : 'Answered';
  const { status, body } = await call(groups.sendToGroup, { conversationId, content, replyToMessageId: at.id }, token);
  if (status !== 201) return;
  const answer = body.data as ChatMessage;
  expect(answer.threadId).toBe(rootOf(at));
  told.sent.push(answer);
  told.follow(memberId, rootOf(at));
  if (at.threadId === undefined) told.follow(at.senderId, at.id);
  const named = await house.ctx.db
    .selectFrom('conversation_mentions')
    .select('member_id')
    .where('seq', '=', answer.seq)
    .execute();
  for (const one of named) told.follow(one.member_id, rootOf(at));
}

/** What somebody is shown of threads has to be what they count in the messages that they are shown. */
async function compare({ house }: ChatScene, conversationId: string, who: HouseMember, told: Told): Promise<void> {
  const all = (await done(house, messages.groupMessages, who, { conversationId, limit: 200 })).items;
  const { readSeq } = await done(house, groups.showGroup, who, { conversationId });
  const expected = all
    .filter((one) => one.threadId === undefined)
    .map((root) => {
      const answers = all.filter((one) => one.threadId === root.id);
      const key = `${who.memberId} ${root.id}`;
      const read = Math.max(readSeq, told.read.get(key) ?? 0);
      const isUnread = ({ seq, senderId }: ChatMessage) => seq > read && senderId !== who.memberId;
      const facts = {
        threadId: root.id,
        replyCount: answers.length,
        lastSeq: answers.at(-1)?.seq ?? 0,
        unread: answers.filter(isUnread).length,
        following: told.following.get(key) ?? false,
      };
      return { answers, facts };
    })
    .filter(({ answers }) => answers.length > 0)
    .toSorted((one, next) => next.facts.lastSeq - one.facts.lastSeq);
  for (const { facts, answers } of expected) {
    const page = await done(house, threads.groupThread, who, { conversationId, messageId: facts.threadId, limit: 200 });
    expect(page.items).toEqual(answers);
  }
  for (const [filter, isWanted] of [
    [{}, () => true],
    [{ unread: 'true' }, ({ facts }) => facts.unread > 0],
    [{ following: 'true' }, ({ facts }) => facts.following],
    [{ following: 'true', unread: 'true' }, ({ facts }) => facts.following && facts.unread > 0],
  ] as const satisfies readonly [object, (one: (typeof expected)[number]) => boolean][]) {
    const { items } = await done(house, threads.groupThreads, who, { conversationId, ...filter, limit: 200 });
    const shown = items.map(({ threadId, replyCount, lastSeq, unread, following, root }) => {
      expect(root.id).toBe(threadId);
      return { threadId, replyCount, lastSeq, unread, following };
    });
    expect(shown).toEqual(expected.filter(isWanted).map(({ facts }) => facts));
  }
}

describe.each(bothEngines)('the counts of threads on %s', (engine) => {
  it('are what whoever reads them counts, whatever was said, deleted, blocked, read and followed, and whoever came and went', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), async (steps) => {
        await using scene = await openChat(engine);
        const people = [scene.ann, scene.bob, scene.cleo];
        const conversationId = await groupOf(scene.house, people);
        const told = new Told();
        for (const one of steps) await perform(scene, conversationId, people, told, one);
        for (const who of people) if (!told.absent.has(who.memberId)) await compare(scene, conversationId, who, told);
      }),
      { numRuns: runs(16) },
    );
  });
});
