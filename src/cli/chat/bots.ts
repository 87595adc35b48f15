import { perform, type Caller } from '../../client/perform.ts';
import { chat } from '../../contract/chat.ts';
import type { ChatBot } from '../../contract/chat/bots.ts';
import type { BotRight } from '../../contract/scopes.ts';
import { Problem } from '../../base/problem.ts';
import { idFrom } from '../kit/id-part.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import { checkedConversation } from './sealed/checked-conversation.ts';
import type { OwnSide } from './sealed/own-side.ts';

/**
 * The scopes of a token for the conversations that a person names. One that is named for both is written to.
 * @throws Problem invalid USAGE; those of `checkedConversation`
 */
export async function scopesFor(
  side: OwnSide,
  named: Readonly<Record<BotRight, readonly string[]>>,
): Promise<string[]> {
  const rights = new Map<string, BotRight>();
  for (const right of ['read', 'write'] as const)
    for (const text of named[right]) rights.set((await checkedConversation(side, text)).id, right);
  if (rights.size > 0) return [...rights].map(([id, right]) => `chat:${id}:${right}`);
  const message = 'Name the conversations that the program is for with --read or --write.';
  throw new Problem('invalid', 'USAGE', message);
}

export function botTable(screen: Screen, bots: readonly ChatBot[]): string {
  const when = (time: string | null) => (time === null ? 'never' : moment(screen, time));
  const roomsOf = ({ conversations }: ChatBot, wanted: BotRight) =>
    conversations.flatMap(({ right, type, title }) =>
      right === wanted ? [type === 'direct' ? title : `#${title}`] : [],
    );
  return table(screen, bots, [
    { title: 'NAME', of: ({ name }) => name, main: true },
    { title: 'READS', of: (bot) => roomsOf(bot, 'read').join(', ') },
    { title: 'READS AND WRITES', of: (bot) => roomsOf(bot, 'write').join(', ') },
    { title: 'LAST USED', of: ({ lastUsedAt }) => when(lastUsedAt), whole: true },
    { title: 'EXPIRES', of: ({ expiresAt }) => when(expiresAt), whole: true },
    { title: 'ID', of: ({ botId }) => botId, whole: true },
  ]);
}

/** A bot token, by its name or by eight or more digits of its id. @throws Problem missing BOT_NOT_FOUND, conflict AMBIGUOUS */
export async function botNamed(caller: Caller, text: string): Promise<ChatBot> {
  const { items } = await perform(caller, chat.bots, {});
  const named = items.filter(({ name }) => name === text);
  if (named.length === 1 && named[0] !== undefined) return named[0];
  const message = `You have no bot token ${JSON.stringify(text)}. To list yours, run: conclave chat bot list`;
  const missing = () => new Problem('missing', 'BOT_NOT_FOUND', message);
  const candidates = (named.length > 1 ? named : items).map(({ botId: id, name }) => ({ id, label: name }));
  const id = await idFrom(text, async () => candidates, missing);
  const found = items.find(({ botId }) => botId === id);
  if (found === undefined) throw missing();
  return found;
}
