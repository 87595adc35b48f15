import { emptyLine, lineOf } from '../../kit/line.ts';
import { atEnd } from './scrolling.ts';
import {
  conversationIdIn,
  isSocial,
  nothing,
  withTalk,
  type Effect,
  type Open,
  type Pressed,
  type State,
} from './state.ts';

/** Puts a message, or an edit, behind those that wait to be sent. */
export function sent(
  state: State,
  { id, place, talk }: Open,
  text: string,
  newId: () => string,
  edits?: string,
): Pressed {
  if (talk.doubt !== undefined)
    return nothing({ ...state, note: 'Nothing is sent here before that is solved: /verify' });
  const isEdit = edits !== undefined || talk.purpose?.kind === 'edit';
  if (isEdit && isSocial(place)) return nothing({ ...state, note: 'Edit it with: conclave social message edit' });
  const pending = {
    clientId: newId(),
    text,
    files: isEdit ? [] : talk.files,
    replyTo: isEdit ? undefined : talk.purpose?.kind === 'reply' ? talk.purpose.id : talk.thread?.id,
    inThread: talk.thread !== undefined,
    edits: edits ?? (talk.purpose?.kind === 'edit' ? talk.purpose.id : undefined),
    state: 'waiting',
    why: undefined,
  } as const;
  const kept = talk.purpose?.kind === 'edit' ? talk.purpose.kept : emptyLine;
  const after = withTalk(state, id, (one) => {
    const more = { ...one, pending: [...one.pending, pending], line: kept, purpose: undefined, marked: undefined };
    return isEdit ? more : atEnd({ ...more, files: [], newAfter: undefined });
  });
  return { state: after, effects: [{ do: 'send', id }, ...newest({ id, talk })] };
}

export function editing(state: State, talkId: string, id: string, content: string): State {
  return withTalk(state, talkId, (one) => ({
    ...one,
    purpose: { kind: 'edit', id, kept: one.purpose?.kind === 'edit' ? one.purpose.kept : one.line },
    line: lineOf(content),
    marked: id,
  }));
}

/** The newest messages, if others are looked at. */
export function newest({ id, talk }: Pick<Open, 'id' | 'talk'>): Effect[] {
  return talk.hasNewer ? [{ do: 'newest', id }] : [];
}

/** From a thread to its conversation. What was written there stays. */
export function backFromThread(state: State, from: string): Pressed {
  const id = conversationIdIn(from);
  return { state: { ...state, openId: id, chosen: id, pane: 'talk' }, effects: [{ do: 'open', id, from }] };
}
