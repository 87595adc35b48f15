import type { ChatMessage } from '../../contract/chat/message.ts';
import { Problem } from '../../base/problem.ts';

/** U+FE0F asks for the picture of a character. The server adds it where it is missing. */
const bare = (emoji: string): string => emoji.normalize('NFC').replaceAll('\u{fe0f}', '');

/**
 * The reaction of somebody with an emoji, in any of its spellings.
 *
 * @throws Problem missing REACTION_NOT_FOUND
 */
export function ownReaction(
  { reactions }: Pick<ChatMessage, 'reactions'>,
  memberId: string,
  emoji: string,
): ChatMessage['reactions'][number] {
  const found = reactions.find((one) => one.memberId === memberId && bare(one.emoji) === bare(emoji));
  if (found !== undefined) return found;
  throw new Problem(
    'missing',
    'REACTION_NOT_FOUND',
    `You did not react with ${JSON.stringify(emoji)} to this message.`,
  );
}
