import { setTimeout as sleep } from 'node:timers/promises';
import { perform } from '../../../client/perform.ts';
import type { SaidFile } from '../../../client/chat/sealed-messages.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { social } from '../../../contract/social.ts';
import { Problem } from '../../../base/problem.ts';
import { asShown } from '../../social/messages/messages.ts';
import { assertAttachable, uploadFiles } from '../attached-files.ts';
import { nameOf } from '../conversation-table.ts';
import { operationsOf } from '../operations.ts';
import { sendMessage, sentSafely } from '../send-message.ts';
import { deleteOwnDraft } from '../own-drafts.ts';
import { assertSameName, namedBy } from '../sealed/checked-conversation.ts';
import { editSealed, sendSealed } from '../sealed/sealed-sending.ts';
import { sendSomewhere } from '../sealed/send-somewhere.ts';
import { uploadSealed } from '../sealed/sealed-uploads.ts';
import { isPassing } from '../../kit/passing.ts';
import { attempt, placeNow, type Desk } from './desk.ts';
import { hasGap } from './messages.ts';
import { readThreadFacts } from './pages.ts';
import { hearMessages, readList, readMissed } from './reading.ts';
import { begins, isSocial, withTalk, type Pending, type Place, type Said } from './state.ts';
import { isInThread } from './threads.ts';

/** Sends what waits, in each conversation in its order, and tries again until the node has it or refuses it. */
export interface Outbox {
  /** begins to send what waits in a conversation, unless that goes on already */
  send(id: string): void;
  /** tries at once what waits for the connection */
  wake(): void;
  /** sends what can be sent at once, and nothing after that. @param ms for so long at most */
  finish(ms: number): Promise<void>;
}

/** Milliseconds between two tries. A connection that is back wakes it. */
const RETRY_MS = 3_000;

export function openOutbox(desk: Desk, signal: AbortSignal): Outbox {
  const running = new Map<string, Promise<void>>();
  let isEnding = false;
  const uploads: Uploads = { plain: new Map(), sealed: new Map() };
  let waking = new AbortController();

  const waited = async (ms: number): Promise<void> => {
    const either = AbortSignal.any([signal, waking.signal]);
    await sleep(ms, undefined, { signal: either }).catch(() => undefined);
  };

  async function run(id: string): Promise<void> {
    for (;;) {
      const pending = desk
        .state()
        .talks.get(id)
        ?.pending.find(({ state }) => state === 'waiting');
      const place = placeNow(desk, id);
      if (pending === undefined || place === undefined || signal.aborted) return;
      put(desk, id, pending, { state: 'sending', why: undefined });
      try {
        await deliver(desk, place, id, pending, uploads);
        drop(desk, id, pending);
        if (begins(id)) return;
      } catch (error) {
        if (!(error instanceof Problem) || error.kind === 'unauthenticated') throw error;
        if (!isPassing(error)) {
          put(desk, id, pending, { state: 'refused', why: error.message });
          continue;
        }
        put(desk, id, pending, { state: 'waiting', why: error.kind === 'tooMany' ? error.message : undefined });
        if (isEnding) return;
        await waited(error.retryAfterSeconds === undefined ? RETRY_MS : error.retryAfterSeconds * 1_000);
      }
    }
  }

  return {
    send(id) {
      if (running.has(id)) return;
      const sending = attempt(desk, async () => await run(id)).finally(() => running.delete(id));
      running.set(id, sending);
    },
    wake() {
      waking.abort();
      waking = new AbortController();
    },
    async finish(ms) {
      isEnding = true;
      waking.abort();
      await Promise.race([Promise.all(running.values()), sleep(ms, undefined, { ref: false })]);
    },
  };
}

/** What was uploaded for a message that is not sent, so that a second try does not upload it again. */
interface Uploads {
  readonly plain: Map<string, string[] | undefined>;
  readonly sealed: Map<string, SaidFile[] | undefined>;
}

function put(desk: Desk, id: string, { clientId }: Pending, change: Partial<Pending>): void {
  desk.change((state) =>
    withTalk(state, id, (talk) => ({
      ...talk,
      pending: talk.pending.map((one) => (one.clientId === clientId ? { ...one, ...change } : one)),
    })),
  );
}

function drop(desk: Desk, id: string, { clientId }: Pending): void {
  desk.change((state) =>
    withTalk(state, id, (talk) => ({ ...talk, pending: talk.pending.filter((one) => one.clientId !== clientId) })),
  );
}

/** @param talkId of the conversation, or of the thread in which it was written */
async function deliver(desk: Desk, place: Place, talkId: string, pending: Pending, uploads: Uploads): Promise<void> {
  await assertAttachable(pending.files);
  if (begins(place.id)) return await beginWith(desk, place, pending);
  if (isSocial(place)) {
    const { id } = place;
    const attachments = await once(
      uploads.plain,
      pending,
      async () => await uploadFiles(desk.silent, desk.client, pending.files),
    );
    const { clientId, text: content, replyTo } = pending;
    const message = { id, clientId, content, attachments, ...(replyTo !== undefined && { replyToMessageId: replyTo }) };
    const sent = await sentSafely(async () => await perform(desk.client, social.sendMessage, message));
    return await hearSent(desk, id, asShown(sent));
  }
  // It may have been given the name of another one since it was opened.
  await assertSameName(desk.side, nameOf(place), await namedBy(desk.side, place));
  const isSealed = await desk.side.isSealed(place);
  const sent = isSealed
    ? await sendSealedHere(desk, place, pending, uploads)
    : await sendHere(desk, place, pending, uploads);
  await hearSent(desk, place.id, sent);
  const thread = desk.state().talks.get(talkId)?.thread;
  if (thread === undefined) return await dropDraft(desk, place);
  if (isInThread(sent, thread)) hearMessages(desk, talkId, [sent]);
  await attempt(desk, async () => await readThreadFacts(desk, place, talkId));
}

/** Shows what was sent, with what others said just before. */
async function hearSent(desk: Desk, id: string, sent: Said): Promise<void> {
  const talk = desk.state().talks.get(id);
  const isAlone = talk === undefined || !hasGap(talk, sent.seq);
  // If it cannot be read now, the message is sent all the same.
  if (!isAlone) await attempt(desk, async () => await readMissed(desk, id));
  hearMessages(desk, id, [sent]);
}

async function once<T>(known: Map<string, T>, { clientId }: Pending, make: () => Promise<T>): Promise<T> {
  const before = known.get(clientId);
  if (before !== undefined) return before;
  const made = await make();
  known.set(clientId, made);
  return made;
}

async function sendHere(desk: Desk, place: Conversation, pending: Pending, uploads: Uploads): Promise<Said> {
  const { client, silent } = desk;
  const { clientId, text: content, replyTo, edits } = pending;
  if (edits !== undefined)
    return await perform(client, operationsOf[place.type].edit, {
      conversationId: place.id,
      messageId: edits,
      content,
    });
  const attachments = await once(uploads.plain, pending, async () => await uploadFiles(silent, client, pending.files));
  const message = { content, attachments, clientId, ...(replyTo !== undefined && { replyToMessageId: replyTo }) };
  const recipient =
    place.type === 'direct' ? { recipientId: otherIn(desk, place) } : { conversationId: place.id, type: place.type };
  return await sendMessage(client, { ...recipient, ...message }, place.title);
}

function otherIn(desk: Desk, { participants = [] }: Conversation): string {
  const { me } = desk.state();
  return participants.find((one) => one !== me.id) ?? me.id;
}

async function sendSealedHere(
  desk: Desk,
  place: Conversation,
  pending: Pending,
  uploads: Uploads,
): Promise<ChatMessage> {
  const { side, silent } = desk;
  const { clientId, text: content, replyTo, inThread, edits } = pending;
  // Nothing asks for the key while somebody writes.
  if ((await side.selfIfGiven()) === undefined)
    throw new Problem('conflict', 'KEY_MISSING', 'Your key is needed to write here: /unlock, and then /retry');
  if (edits !== undefined) return await editSealed(side, place, edits, content);
  // Before anything is sent, the keys and the members are proven.
  await side.open(place);
  const attachments = await once(
    uploads.sealed,
    pending,
    async () => await uploadSealed({ ...side, terminal: silent }, pending.files),
  );
  const about = {
    ...(replyTo !== undefined && { replyToMessageId: replyTo }),
    ...(attachments !== undefined && { attachments }),
  };
  return await sendSealed(side, place, { content, clientId, inThread, ...about });
}

/** Begins a conversation with its first message, and goes there. */
async function beginWith(desk: Desk, place: Place, { text: content, clientId, files }: Pending): Promise<void> {
  if (isSocial(place)) return;
  const mode = place.mode === 'client' ? 'client' : undefined;
  const side = { ...desk.side, terminal: desk.silent };
  const sent = await sendSomewhere(side, { to: place.title, content, files, clientId, mode, reply: undefined });
  await readList(desk);
  desk.change((state) => {
    const [places, talks] = [new Map(state.places), new Map(state.talks)];
    places.delete(place.id);
    talks.delete(place.id);
    return { ...state, places, talks, ...(state.openId === place.id && { openId: sent.conversationId }) };
  });
  if (desk.state().openId === sent.conversationId) await desk.open(sent.conversationId);
}

/** What was a draft is a message now. */
async function dropDraft(desk: Desk, place: Conversation): Promise<void> {
  if (!desk.state().talks.get(place.id)?.kept) return;
  desk.change((state) => withTalk(state, place.id, (talk) => ({ ...talk, kept: '' })));
  await deleteOwnDraft(desk.side, place).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
}
