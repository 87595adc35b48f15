import type { Conversation } from '../../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { Problem } from '../../../base/problem.ts';
import { shellWord } from '../../kit/shell-word.ts';
import { uploadFiles } from '../attached-files.ts';
import { nameOf } from '../conversation-table.ts';
import { answeredIn, sendMessage, targetNamed, type Target } from '../send-message.ts';
import { noteWaiting } from './notes.ts';
import { assertSameName, namedBy } from './checked-conversation.ts';
import { lostWith, type OwnSide } from './own-side.ts';
import { beginSealed, sendSealed } from './sealed-sending.ts';
import { uploadSealed } from './sealed-uploads.ts';

interface Writing {
  /** how somebody named who is written to */
  readonly to: string;
  readonly content: string;
  readonly files?: readonly string[] | undefined;
  readonly reply?: string | undefined;
  /** a message of the thread in which it answers, instead of `reply` */
  readonly thread?: string | undefined;
  readonly clientId?: string | undefined;
  /** refuses groups and channels */
  readonly toMember?: boolean;
  /** which mode the person wants, if they said so */
  readonly mode: string | undefined;
}

/** Sends a message to somebody, or into a group or channel: sealed here where only members can read it. */
export async function sendSomewhere(side: OwnSide, writing: Writing): Promise<ChatMessage> {
  const { client } = side;
  const { to, content, files, clientId, mode } = writing;
  const target = await targetNamed(client, to);
  if (writing.toMember === true && !('recipientId' in target.recipient)) {
    const message = `${to} is a group or channel. To write into it, run: conclave chat send ${shellWord(to)}`;
    throw new Problem('invalid', 'USAGE', message);
  }
  await assertTarget(side, target, to);
  const isSealed = await sealsFor(side, target, to, mode);
  const answered = await answeredIn(client, target, { with: to, reply: writing.reply, thread: writing.thread });
  if (!isSealed) {
    const attachments = await uploadFiles(side.terminal, client, files);
    const sent = await sendMessage(client, { ...target.recipient, ...answered, content, attachments, clientId }, to);
    // Whoever said that the node may read from now on gave the earlier conversation up.
    if (target.conversation === undefined) await giveUp(side, target);
    return sent;
  }
  // Before anything is sent, the keys and the members are proven.
  if (target.conversation !== undefined) await noteWaiting(side, target.conversation);
  else await side.self();
  const attachments = await uploadSealed(side, files);
  const inThread = writing.thread !== undefined;
  const message = { content, ...answered, inThread, ...(attachments !== undefined && { attachments }), clientId };
  if (target.conversation !== undefined) return await sendSealed(side, target.conversation, message);
  return await beginSealed(side, 'recipientId' in target.recipient ? target.recipient.recipientId : '', message, to);
}

async function assertTarget(side: OwnSide, { conversation, recipient }: Target, to: string): Promise<void> {
  if (conversation !== undefined) return await assertSameName(side, to, await namedBy(side, conversation));
  if (!('recipientId' in recipient)) return;
  await assertSameName(side, to, { id: undefined, type: 'direct', title: to, memberId: recipient.recipientId });
}

async function giveUp(side: OwnSide, { recipient }: Target): Promise<void> {
  const { forgetPairs } = await import('../../../client/chat/known-conversations.ts');
  if ('recipientId' in recipient) await forgetPairs(await side.memory(), recipient.recipientId);
}

/** Whether the message is sealed here. @throws Problem conflict MODE_FIXED; network CONVERSATION_MODE_CHANGED */
async function sealsFor(side: OwnSide, target: Target, to: string, mode: string | undefined): Promise<boolean> {
  const { conversation, recipient } = target;
  if (conversation === undefined) {
    if (mode === undefined && 'recipientId' in recipient) await assertNoneLost(side, recipient.recipientId, to);
    return mode === 'client';
  }
  const isSealed = await side.isSealed(conversation);
  if (mode === undefined || (mode === 'client') === isSealed) return isSealed;
  throw new Problem('conflict', 'MODE_FIXED', fixed(conversation, isSealed, to));
}

function fixed(conversation: Conversation, isSealed: boolean, to: string): string {
  const what = conversation.type === 'direct' ? `Your conversation with ${to}` : nameOf(conversation);
  const can = isSealed ? 'is one that only its members can read' : 'is one that the node can read, too';
  const other = isSealed ? 'server' : 'client';
  const make =
    conversation.type === 'direct'
      ? `conclave chat group create NAME ${shellWord(to)} --mode ${other}`
      : `conclave chat ${conversation.type} create NAME --mode ${other}`;
  return `${what} ${can}, and a mode never changes. For the other one, make a group of two or another one: ${make}`;
}

/** The node must not have us begin a conversation that it can read instead of one that it cannot. @throws Problem conflict MODE_FIXED */
async function assertNoneLost(side: OwnSide, memberId: string, to: string): Promise<void> {
  if ((await lostWith(side, memberId)) === undefined) return;
  const message = `You had a conversation with ${to} that only the two of you could read, and the node has none now. Say which one to begin: --mode client or --mode server`;
  throw new Problem('conflict', 'MODE_FIXED', message);
}
