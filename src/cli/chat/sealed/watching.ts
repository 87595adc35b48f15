import type { Caller } from '../../../client/perform.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { Problem } from '../../../base/problem.ts';
import { pagesOf, type PageReader } from '../read-messages.ts';
import { isInteractive } from '../../kit/terminal.ts';
import { ownConversations } from '../own-conversations.ts';
import { nameOf } from '../conversation-table.ts';
import { isDoubt } from './changing.ts';
import type { OwnSide } from './own-side.ts';

/**
 * Reads pages for a watch, and opens what only members can read. To watch all conversations the key is asked for at the beginning, where there is
 * somebody to ask; without it, messages that need it are told without their texts.
 *
 * @param only the conversation that is watched, instead of all
 */
export async function sealedWatching(
  side: OwnSide,
  only: Conversation | undefined,
): Promise<(caller: Caller, conversation: Conversation) => PageReader<ChatMessage>> {
  const isReady = only === undefined ? await readyForAll(side) : true;
  if (only !== undefined && (await side.isSealed(only))) await side.open(only);
  const warned = new Set<string>();
  return (caller, conversation) => {
    const read = pagesOf(caller, conversation);
    return async (asked) => {
      const page = await read(asked);
      try {
        const isOpened = isReady || !(await side.isSealed(conversation));
        if (isOpened) return { ...page, items: await side.read(conversation, page.items) };
      } catch (error) {
        // What does not fit in one conversation must not silence the others.
        if (!isDoubt(error) && !isOfMemory(error)) throw error;
        const what = `${nameOf(conversation)}: ${error.message}`;
        if (!warned.has(what)) side.warn(what);
        warned.add(what);
      }
      const { unproven } = await import('../../../client/chat/open-messages.ts');
      return { ...page, items: page.items.map(unproven) };
    };
  };
}

/** Whether what this machine remembers of a conversation cannot be used. */
function isOfMemory(error: unknown): error is Problem {
  return (
    error instanceof Problem && ['KNOWN_CONVERSATIONS_DAMAGED', 'KNOWN_CONVERSATIONS_EXPOSED'].includes(error.code)
  );
}

/** Whether there is a key for what only members can read. */
async function readyForAll(side: OwnSide): Promise<boolean> {
  if ((await side.selfIfGiven()) !== undefined) return true;
  for (const archived of [false, true])
    for await (const one of ownConversations(side.client, archived)) {
      if (one.mode !== 'client') continue;
      if (isInteractive(side.terminal)) return (await side.self()).memberId !== '';
      side.warn(
        'Without your key, messages that only members can read come without their texts. Give it with --key-file.',
      );
      return false;
    }
  return false;
}
