import { describe, expect, it } from 'vitest';
import { heard } from '../../../../src/cli/chat/messenger/hearing.ts';
import { lineOf } from '../../../../src/cli/kit/line.ts';
import { hasGap } from '../../../../src/cli/chat/messenger/messages.ts';
import { openTalk, threadTalkId, type State, type Talk } from '../../../../src/cli/chat/messenger/state.ts';
import { newAfterIn, withoutThread, withThreadTalk } from '../../../../src/cli/chat/messenger/threads.ts';
import { bob, idOf, look, me, own, placeOf, said, screenOf, stateOf, talkOf, tea, typed } from './fixture.ts';

const thread = threadTalkId('tea', idOf(1));
const answer = (seq: number, content: string) => said(seq, content, { replyToMessageId: idOf(1), threadId: idOf(1) });
const facts = { threadId: idOf(1), following: true, unread: 0, lastSeq: 3 };

/** The group with a thread of its first message, which is open. */
function inThread(more: Partial<Talk> = {}): State {
  const state = stateOf(talkOf([said(1, 'Cake?'), own(2, 'Else'), answer(3, 'Yes.')]));
  const opened = withThreadTalk(state, 'tea', facts);
  const talk = { ...opened.talks.get(thread)!, isLoading: false, messages: [said(1, 'Cake?'), answer(3, 'Yes.')] };
  return { ...opened, openId: thread, talks: new Map(opened.talks).set(thread, { ...talk, ...more }) };
}

const runs = (state: State, line: string) =>
  typed(state, line, '[return]').effects.flatMap((one) =>
    one.do === 'run' ? [[one.name, one.message?.seq, one.words]] : [],
  );

describe('a thread on the screen', () => {
  it('has its messages alone, under a title that says how it begins', () => {
    const text = screenOf(inThread());
    expect(text).toContain('#tea / Cake?  thread, followed');
    expect(text).toContain('Yes.');
    expect(text).not.toContain('Else');
    // What began it is not quoted by each answer.
    expect(text).not.toContain('> bob: Cake?');
    expect(text).toMatch(/> #tea/);
    expect(screenOf({ ...inThread(), columns: 40, rows: 20 })).toContain('#tea /');
  });

  it('is opened by the marked message, by an id that is not here too, and says so where there is none', () => {
    const state = stateOf(talkOf([said(1, 'Cake?'), own(2, 'Else')]));
    const marked = typed(state, '[ctrl-p]', '[ctrl-p]').state;
    expect(runs(marked, '/thread')).toEqual([['thread', 1, '']]);
    expect(runs(state, `/thread ${idOf(2).slice(0, 12)}`)).toEqual([['thread', 2, idOf(2).slice(0, 12)]]);
    expect(runs(state, '/thread 01a22bffffff')).toEqual([['thread', undefined, '01a22bffffff']]);
    expect(typed(state, '/thread', '[return]').state.note).toContain('/threads lists those that have answers');
    expect(typed(state, '/thread 01a22b00', '[return]').state.note).toContain('Several ids begin with 01a22b00');
    expect(tea(typed(state, '/thre', '[tab]').state).line.text).toBe('/thread');
  });

  it('is left by Esc and by /thread, with what was written there', () => {
    const written = typed(inThread(), 'Half', '[escape]');
    expect(written.effects.at(-1)).toEqual({ do: 'open', id: 'tea', from: thread });
    expect(written.state).toMatchObject({ openId: 'tea', chosen: 'tea', pane: 'talk' });
    expect(written.state.talks.get(thread)?.line.text).toBe('Half');
    expect(typed(inThread(), '/thread', '[return]').effects).toEqual([{ do: 'open', id: 'tea', from: thread }]);
    // What was begun in it is left first.
    const marked = typed(inThread(), '[ctrl-p]', '[escape]');
    expect([marked.effects, marked.state.openId]).toEqual([[], thread]);
    expect(typed(inThread(), '[tab]').state).toMatchObject({ pane: 'list', chosen: 'tea', openId: thread });
    expect(typed(inThread(), '[alt-down]').effects).toEqual([{ do: 'open', id: 'cake', from: thread }]);
  });

  it('is what is answered and followed in it', () => {
    const { state, effects } = typed(inThread(), 'I come.', '[return]');
    expect(effects.at(-1)).toEqual({ do: 'send', id: thread });
    expect(openTalk(state)?.talk.pending).toMatchObject([{ text: 'I come.', replyTo: idOf(1), inThread: true }]);
    const replied = typed(inThread(), '[ctrl-p]', '/reply Me too', '[return]').state;
    expect(openTalk(replied)?.talk.pending).toMatchObject([{ replyTo: idOf(3), inThread: true }]);
    const elsewhere = typed({ ...inThread(), openId: 'tea' }, 'Hi', '[return]').state;
    expect(tea(elsewhere).pending).toMatchObject([{ replyTo: undefined, inThread: false }]);
    expect(runs(inThread(), '/unfollow')).toEqual([['unfollow', undefined, idOf(1)]]);
    expect(typed({ ...inThread(), openId: 'tea' }, '/follow', '[return]').state.note).toContain('/follow ID');
    const doubted = typed(inThread({ doubt: 'Foreign.' }), 'Hi', '[return]');
    expect([openTalk(doubted.state)?.talk.pending, doubted.state.note]).toEqual([
      [],
      expect.stringContaining('/verify'),
    ]);
  });

  it('does not exist in the social network, which has a command instead', () => {
    const social = { ...placeOf('tea'), isSocial: true, conversation: {}, waits: false } as never;
    const there = stateOf(talkOf([said(1, 'x')]), { places: new Map([['tea', social]]) });
    for (const line of ['/thread', '/threads', '/follow', '/unfollow'])
      expect(typed(there, line, '[return]').state.note).toMatch(/no threads.*conclave social message send --reply-to/);
  });
});

describe('the messages of a thread', () => {
  it('have gaps, and are new from the first one that was not read', () => {
    expect(hasGap(openTalk(inThread())!.talk, 9)).toBe(false);
    const all = [said(1, 'Cake?'), answer(3, 'a'), { ...answer(5, 'b'), senderId: me.id }, answer(9, 'c')];
    expect([0, 1, 2, 9].map((unread) => newAfterIn(all, me.id, unread))).toEqual([undefined, 8, 2, 1]);
  });

  it('change as in the conversation, and go with it', () => {
    const conversationId = '0'.repeat(32);
    const state = stateOf(talkOf([said(1, 'Cake?')]), { openId: conversationId });
    const place = { ...state.places.get('tea')!, id: conversationId };
    const talks = new Map([[conversationId, talkOf([said(1, 'Cake?')])]]);
    const both = withThreadTalk({ ...state, places: new Map([[conversationId, place]]), talks }, conversationId, facts);
    const id = threadTalkId(conversationId, idOf(1));
    const filled = {
      ...both,
      openId: id,
      talks: new Map(both.talks).set(id, {
        ...both.talks.get(id)!,
        messages: [said(1, 'Cake?')],
        line: lineOf('Half'),
      }),
    };
    const told = (type: string, data: object): State => {
      const about = { contextType: 'group', contextId: conversationId, conversationId };
      return heard(
        filled,
        { type, topic: `conversation:${conversationId}`, seq: 1, data: { ...about, ...data } },
        look.nowMs,
      );
    };
    const pinned = told('communication:message_pinned', { messageId: idOf(1), memberId: bob.id });
    expect([...pinned.talks.values()].map(({ messages }) => messages[0]?.pinned)).toEqual([true, true]);
    const followed = told('conversation:thread_followed', { threadId: idOf(1), following: false });
    expect(followed.talks.get(id)?.thread).toMatchObject({ following: false });
    const out = told('conversation:removed', {});
    expect([out.talks.size, out.note]).toEqual([0, 'You are not in #tea any more. You were writing: Half']);
    expect(withoutThread(filled, id)).toMatchObject({
      openId: conversationId,
      note: expect.stringMatching(/not there any more.*Half/),
    });
  });
});
