import { Problem } from '../../../base/problem.ts';
import { nameOf } from '../conversation-table.ts';
import { deleteOwnDraft, keepOwnDraft } from '../own-drafts.ts';
import { assertSameName, namedBy } from '../sealed/checked-conversation.ts';
import { commandIn } from './command-words.ts';
import { placeNow, type Desk } from './desk.ts';
import { begins, isSocial, withTalk, type Talk } from './state.ts';

/** What somebody has written and not sent, in one conversation. */
function unsentIn({ line, purpose, pending }: Talk, withPending: boolean): string {
  const written = purpose?.kind === 'edit' ? purpose.kept.text : line.text;
  const waiting = withPending ? pending.map(({ text }) => text) : [];
  return [...waiting, commandIn(written) === undefined ? written : ''].filter((text) => text.trim() !== '').join('\n');
}

/** Keeps what is written in a conversation as its draft on the node, where it is another one than before. */
export async function keepDraft(desk: Desk, id: string, withPending = false): Promise<void> {
  const [place, talk] = [placeNow(desk, id), desk.state().talks.get(id)];
  if (place === undefined || talk === undefined) return;
  const content = unsentIn(talk, withPending);
  if (content === (talk.kept ?? '')) return;
  const isElsewhere = begins(id) || isSocial(place) || talk.thread !== undefined;
  if (isElsewhere || talk.isLocked || talk.doubt !== undefined)
    throw new Problem('invalid', 'USAGE', 'Drafts are not kept there.');
  if (content !== '') await assertSameName(desk.side, nameOf(place), await namedBy(desk.side, place));
  if (content === '') await deleteOwnDraft(desk.side, place);
  else {
    const replyTo = talk.purpose?.kind === 'reply' ? talk.purpose.id : undefined;
    await keepOwnDraft(desk.side, place, { content, ...(replyTo !== undefined && { replyToMessageId: replyTo }) });
  }
  desk.change((state) => withTalk(state, id, (one) => ({ ...one, kept: content })));
}

/** At the end nothing may be lost: what cannot be kept as a draft is answered. @param patience milliseconds */
export async function keepDrafts(desk: Desk, patience: number): Promise<string[]> {
  const lost: string[] = [];
  const all = [...desk.state().talks].map(async ([id, talk]) => {
    const text = unsentIn(talk, true);
    const place = placeNow(desk, id);
    if (place === undefined || (text === '' && !talk.kept)) return;
    const late = new Promise<'late'>((resolve) => setTimeout(resolve, patience, 'late').unref());
    const kept = keepDraft(desk, id, true).then(
      () => 'kept' as const,
      (error: unknown) => (error instanceof Problem ? ('refused' as const) : Promise.reject(error as Error)),
    );
    const became = await Promise.race([kept, late]);
    if (text === '') return;
    const inThread = talk.thread === undefined ? '' : `, in the thread ${talk.thread.id.slice(0, 12)}`;
    const isSent = talk.pending.length === 0;
    if (became !== 'kept') lost.push(`You have not sent this to ${nameOf(place)}${inThread}:\n${text}`);
    else if (!isSent) lost.push(`What you have not sent to ${nameOf(place)} is kept as a draft.`);
  });
  await Promise.all(all);
  return lost;
}
