import { describe, expect, it } from 'vitest';
import { heard } from '../../../../src/cli/chat/messenger/hearing.ts';
import { hasGap, MOST_MESSAGES, withNewest, withNews, withOlder } from '../../../../src/cli/chat/messenger/messages.ts';
import { hearMessages } from '../../../../src/cli/chat/messenger/reading.ts';
import { openRedraw } from '../../../../src/cli/kit/redraw.ts';
import { LOBBY, type State } from '../../../../src/cli/chat/messenger/state.ts';
import { bob, idOf, look, me, own, said, stateOf, talkOf } from './fixture.ts';

const conversationId = '0'.repeat(32);
const about = { contextType: 'group', contextId: conversationId, conversationId };
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => said(from + at, `${from + at}`));

/** The group under an id as the node gives them. */
function open(messages = numbers(1, 3)): State {
  const state = stateOf(talkOf(messages), { openId: conversationId });
  const place = { ...state.places.get('tea')!, id: conversationId };
  return { ...state, places: new Map([[conversationId, place]]), talks: new Map([[conversationId, talkOf(messages)]]) };
}

function told(state: State, type: string, data: object): State {
  return heard(
    state,
    { type, topic: `conversation:${conversationId}`, seq: 1, data: { ...about, ...data } },
    look.nowMs,
  );
}

const talk = (state: State) => state.talks.get(conversationId);

describe('what others do', () => {
  it('changes the message that it is about', () => {
    const reaction = { messageId: idOf(2), memberId: bob.id, emoji: '👍', reactionId: '1'.repeat(32) };
    const reacted = told(open(), 'communication:reaction_added', reaction);
    expect(talk(reacted)?.messages[1]).toMatchObject({ reactionCounts: [{ emoji: '👍', count: 1 }] });
    expect(talk(told(reacted, 'communication:reaction_added', reaction))?.messages[1]?.reactionCounts).toEqual([
      { emoji: '👍', count: 1 },
    ]);
    expect(talk(told(reacted, 'communication:reaction_removed', reaction))?.messages[1]?.reactionCounts).toEqual([]);
    const pin = { messageId: idOf(2), memberId: bob.id };
    expect(talk(told(open(), 'communication:message_pinned', pin))?.messages[1]?.pinned).toBe(true);
    const deleted = told(reacted, 'communication:message_deleted', { messageId: idOf(2), seq: 2, deletedBy: bob.id });
    expect(talk(deleted)?.messages[1]).toMatchObject({ content: null, deleted: true, reactionCounts: [] });
  });

  it('takes away what is not kept any longer', () => {
    const removed = talk(told(open(), 'communication:messages_removed', { upToSeq: 2 }))?.messages;
    expect(removed?.map(({ content, deleted = false }) => [content, deleted])).toEqual([
      [null, true],
      [null, true],
      ['3', false],
    ]);
  });

  it('says who types until they say something, and how far they have read', () => {
    const typing = told(open(), 'communication:typing_start', {
      memberId: bob.id,
      expiresAt: '2026-12-01T12:00:15.000Z',
    });
    expect(talk(typing)?.typing.map(({ memberId }) => memberId)).toEqual([bob.id]);
    const answered = withNews(talk(typing)!, [said(4, 'x')], me.id, true);
    expect(answered.typing).toEqual([]);
    expect(talk(told(typing, 'communication:typing_stop', { memberId: bob.id }))?.typing).toEqual([]);
    const read = told(open(), 'communication:message_read', {
      memberId: bob.id,
      seq: 3,
      readAt: '2026-12-01T12:00:15.000Z',
    });
    expect(talk(read)?.receipts).toEqual(new Map([[bob.id, 3]]));
  });

  it('is nothing where it is not as the contract says', () => {
    const state = open();
    expect(told(state, 'communication:message_pinned', { messageId: 7 })).toBe(state);
    expect(told(state, 'communication:invented', {})).toBe(state);
  });

  it('can take the person out of the conversation, with a note that has what they were writing', () => {
    const state = open();
    const writing = {
      ...state,
      talks: new Map([[conversationId, { ...talk(state)!, line: { text: 'Half', at: 4 } }]]),
    };
    const out = told(writing, 'conversation:removed', {});
    expect(out).toMatchObject({ openId: LOBBY, note: 'You are not in #tea any more. You were writing: Half' });
    expect(out.places.size).toBe(0);
  });

  it('is counted elsewhere, and not on the screen', () => {
    const changed = (state: State, items = [said(4, 'x'), own(5, 'y')]): State => {
      let now = state;
      hearMessages({ change: (change) => void (now = change(now)) }, conversationId, items);
      return now;
    };
    expect(changed(open()).places.get(conversationId)?.unread).toBe(0);
    const elsewhere = changed({ ...open(), openId: LOBBY });
    expect(elsewhere.places.get(conversationId)).toMatchObject({ unread: 1, lastSeq: 5 });
    const away = open();
    const scrolled = { ...talk(away)!, scroll: { id: idOf(1), hidden: 0 } };
    const below = changed({ ...away, talks: new Map([[conversationId, scrolled]]) });
    expect([talk(below)?.below, talk(below)?.scroll, talk(below)?.messages.length]).toEqual([
      1,
      { id: idOf(1), hidden: 0 },
      5,
    ]);
  });
});

describe('messages of one conversation', () => {
  it('are there once and in their order, whatever comes first', () => {
    const sent = own(5, 'mine');
    const now = withNews(
      withNews(talkOf(numbers(1, 3)), [sent], me.id, true),
      [said(4, 'before'), sent, said(5, 'edited', { id: sent.id })],
      me.id,
      true,
    );
    expect(now.messages.map(({ seq, content }) => `${seq} ${content}`)).toEqual([
      '1 1',
      '2 2',
      '3 3',
      '4 before',
      '5 edited',
    ]);
    expect(hasGap(talkOf(numbers(1, 3)), 5)).toBe(true);
    expect(hasGap(talkOf(numbers(1, 3)), 4)).toBe(false);
    expect(
      withNewest(talkOf([said(9, 'came meanwhile')]), { items: numbers(5, 8), hasMore: true }).messages.length,
    ).toBe(5);
  });

  it('are not waiting any more when the node has them', () => {
    const pending = {
      clientId: 'p',
      text: 'x',
      files: [],
      replyTo: undefined,
      inThread: false,
      state: 'waiting',
      why: undefined,
    } as const;
    const waiting = talkOf([], {
      pending: [
        { ...pending, edits: undefined },
        { ...pending, clientId: 'q', edits: idOf(1) },
      ],
    });
    const now = withNews(waiting, [said(1, 'x', { clientId: 'p' })], me.id, true);
    expect(now.pending.map(({ clientId }) => clientId)).toEqual(['q']);
  });

  it('are so many at most', () => {
    const full = withNews(
      talkOf(numbers(1, MOST_MESSAGES)),
      numbers(MOST_MESSAGES + 1, MOST_MESSAGES + 7),
      me.id,
      true,
    );
    expect([full.messages.length, full.messages[0]?.seq, full.hasOlder]).toEqual([MOST_MESSAGES, 8, true]);
    const older = withOlder(full, { items: numbers(1, 10), hasMore: false });
    expect([older.messages.length, older.messages[0]?.seq, older.hasNewer, older.hasOlder]).toEqual([
      MOST_MESSAGES,
      1,
      true,
      false,
    ]);
    const news = withNews(older, numbers(MOST_MESSAGES + 8, MOST_MESSAGES + 8), me.id, false);
    expect([news.messages.length, news.below]).toEqual([MOST_MESSAGES, 1]);
  });
});

describe('a screen', () => {
  it('is drawn once for all that comes at once, and sooner for a key', async () => {
    const drawn: string[] = [];
    let wake = (): void => {};
    const isDrawn = new Promise<void>((resolve) => (wake = resolve));
    using redraw = openRedraw(() => {
      drawn.push('drawn');
      wake();
    });
    for (let event = 0; event < 500; event += 1) redraw.soon(60_000);
    redraw.soon(0);
    for (let event = 0; event < 500; event += 1) redraw.soon(60_000);
    await isDrawn;
    expect(drawn).toEqual(['drawn']);
  });
});
