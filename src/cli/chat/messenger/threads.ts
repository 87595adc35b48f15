import type { ChatThread } from '../../../contract/chat/threads.ts';
import { conversationIdIn, newTalk, threadTalkId, withTalk, type OpenThread, type Said, type State } from './state.ts';

type Facts = Pick<ChatThread, 'threadId' | 'following' | 'unread' | 'lastSeq'>;

/** The state with a thread that can be opened. What is wrong with the conversation is wrong with it. */
export function withThreadTalk(state: State, conversationId: string, facts: Facts): State {
  const id = threadTalkId(conversationId, facts.threadId);
  if (state.talks.has(id))
    return withTalk(state, id, (talk) => ({ ...talk, thread: threadOf(facts), newAfter: undefined }));
  const { doubt, isLocked } = state.talks.get(conversationId) ?? newTalk;
  const talk = { ...newTalk, doubt, isLocked, thread: threadOf(facts) };
  return { ...state, talks: new Map(state.talks).set(id, talk) };
}

/** What is known of a thread beside its messages. Where something is unread, the node is told what was read. */
export function threadOf({ threadId: id, following, unread, lastSeq }: Facts): OpenThread {
  return { id, following, readSeq: unread === 0 ? (lastSeq ?? 0) : 0 };
}

/** Without a thread that is not there any more. What somebody wrote in it stays in the note that says so. */
export function withoutThread(state: State, id: string): State {
  const { line, pending = [] } = state.talks.get(id) ?? {};
  const texts = [...pending.map(({ text }) => text), line?.text ?? ''].filter((text) => text !== '');
  const talks = new Map(state.talks);
  talks.delete(id);
  const openId = state.openId === id ? conversationIdIn(id) : state.openId;
  const lost = texts.length === 0 ? '' : ` You were writing: ${texts.join(' / ')}`;
  return { ...state, talks, openId, note: `This thread is not there any more.${lost}` };
}

export function withFollowing(state: State, id: string, following: boolean): State {
  return withTalk(state, id, (talk) => ({ ...talk, thread: talk.thread && { ...talk.thread, following } }));
}

/** The number after which the answers begin that somebody has not read. @param unread how many of others they are */
export function newAfterIn(messages: readonly Said[], ownId: string, unread: number): number | undefined {
  if (unread === 0) return undefined;
  const [root, ...answers] = messages;
  const others = answers.filter(({ senderId }) => senderId !== ownId);
  const first = others.at(-unread);
  return first === undefined ? root?.seq : first.seq - 1;
}

/** Whether a message is shown in a thread: the one that began it, or an answer. */
export function isInThread({ id, threadId }: Pick<Said, 'id' | 'threadId'>, thread: OpenThread): boolean {
  return id === thread.id || threadId === thread.id;
}
