import { perform, type Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import type { Channel } from '../../contract/chat/channels.ts';
import { Problem } from '../../base/problem.ts';
import type { Invitation } from './invitation.ts';
import { shellWord } from '../kit/shell-word.ts';
import { channelNamed, findableChannel, isConversationId } from './rooms/find-room.ts';

/**
 * Joins a public channel.
 * @param text how somebody named it
 * @throws Problem as `channelNamed` and the operation do
 */
export async function joinByName(caller: Caller, text: string): Promise<Channel> {
  const { id: conversationId, name, joined } = await channelNamed(caller, text);
  if (joined) throw alreadyIn(name);
  await perform(caller, chat.joinChannel, { conversationId });
  return await perform(caller, chat.showChannel, { conversationId });
}

/**
 * Joins a channel by an invite.
 * @param text how somebody named the channel, which a whole invite makes needless
 * @throws Problem invalid USAGE for none, or for another one than that of the invite; as the operation does
 */
export async function joinByInvite(caller: Caller, invitation: Invitation, text?: string): Promise<Channel> {
  const named = text === undefined ? undefined : await idOf(caller, text);
  const conversationId = invitation.channelId ?? named;
  if (conversationId === undefined) {
    const what =
      text === undefined
        ? 'This is the token of an invite without its channel.'
        : `No channel ${JSON.stringify(text)} can be found.`;
    throw new Problem('invalid', 'USAGE', `${what} Use the whole invite, or name the channel by its id.`);
  }
  if (named !== undefined && named !== conversationId)
    throw new Problem(
      'invalid',
      'USAGE',
      `The invite is for another channel than ${JSON.stringify(text)}. Leave the name out to join it.`,
    );
  await perform(caller, chat.redeemInvite, { conversationId, inviteToken: invitation.token });
  return await perform(caller, chat.showChannel, { conversationId });
}

async function idOf(caller: Caller, text: string): Promise<string | undefined> {
  return isConversationId(text) ? text.toLowerCase() : (await findableChannel(caller, text))?.id;
}

function alreadyIn(name: string): Problem {
  return new Problem(
    'conflict',
    'ALREADY_IN_ROOM',
    `You are in #${name} already. To read it, run: conclave chat read ${shellWord(`#${name}`)}`,
  );
}
