import type { OpenConversation } from '../../../client/chat/open-conversation.ts';
import { perform } from '../../../client/perform.ts';
import { Problem } from '../../../base/problem.ts';
import { shellWord } from '../../kit/shell-word.ts';
import { nameOf } from '../conversation-table.ts';
import { memberNamed } from '../members.ts';
import { operationsOf } from '../operations.ts';
import { whileItChanges } from './changing.ts';
import type { OwnSide, SealedPlace } from './own-side.ts';

/**
 * Gives the key of a conversation to members who wait for it.
 * @param names how somebody named them
 * @returns their ids
 * @throws Problem missing NOT_IN_ROOM; conflict ALREADY_IN_ROOM for somebody who has it; invalid USAGE in a conversation of two, or that the node can read
 */
export async function admitMembers(side: OwnSide, place: SealedPlace, names: readonly string[]): Promise<string[]> {
  if (!(await side.isSealed(place)) || place.type === 'direct')
    throw new Problem('invalid', 'USAGE', `Nobody waits for a key of ${nameOf(place)}.`);
  const { nextEpoch } = await import('../../../client/chat/next-epoch.ts');
  return await whileItChanges(side, place, async (open) => {
    const ids = await Promise.all(names.map(async (name) => await waitingNamed(side, open, place, name)));
    const { sent, known } = await nextEpoch(open, { add: ids });
    await perform(side.client, operationsOf[place.type].beginEpoch, { conversationId: place.id, ...sent });
    await side.made(place, known);
    await side.open(place, 'again');
    return ids;
  });
}

/** Somebody who is in it and has no key, by name or id. */
async function waitingNamed(
  { client }: OwnSide,
  { members, waiting }: OpenConversation,
  place: SealedPlace,
  name: string,
): Promise<string> {
  const isNamed = ({ username }: { readonly username: string }) => username.toLowerCase() === name.toLowerCase();
  const memberId = members.find(isNamed)?.memberId ?? (await memberNamed(client, name));
  if (waiting.some((one) => one.memberId === memberId)) return memberId;
  if (members.some((one) => one.memberId === memberId))
    throw new Problem('conflict', 'ALREADY_IN_ROOM', `${name} has the key of ${nameOf(place)} already.`);
  const message = `${name} is not in ${nameOf(place)}. To add them, run: conclave chat ${place.type} add ${shellWord(place.title)} ${shellWord(name)}`;
  throw new Problem('missing', 'NOT_IN_ROOM', message);
}
