import { perform } from '../../../client/perform.ts';
import type { OpenedMessage } from '../../../client/chat/open-messages.ts';
import { counted } from '../../kit/counted.ts';
import { shellWord } from '../../kit/shell-word.ts';
import { moment, type Unmeasured } from '../../kit/screen.ts';
import { nameOf } from '../conversation-table.ts';
import { operationsOf } from '../operations.ts';
import type { OwnSide, SealedPlace } from './own-side.ts';

/** The name of a conversation as a word of a command. */
export function wordOf(place: Pick<SealedPlace, 'id' | 'type' | 'title'>): string {
  return shellWord(nameOf(place));
}

/** What a person should know of a conversation that they read or write in: who waits for the key, themselves included. */
export async function noteWaiting(side: OwnSide, place: SealedPlace): Promise<void> {
  if (!(await side.isSealed(place))) return;
  const { waiting, self, current } = await side.open(place);
  if (current === undefined) return side.say(ownWait(place));
  const others = waiting.filter(({ memberId }) => memberId !== self.memberId);
  if (others.length === 0) return;
  const names = others.slice(0, 5).map(({ memberId, username }) => username || memberId);
  const more = others.length > names.length ? ` and ${counted(others.length - names.length, 'other')}` : '';
  const verb = others.length === 1 ? 'waits' : 'wait';
  side.say(
    `${names.join(', ')}${more} ${verb} for the key. Who may add members gives it with: conclave chat admit ${shellWord(place.title)} ${names.map(shellWord).join(' ')}`,
  );
}

function ownWait(place: SealedPlace): string {
  return `You wait for the key of ${nameOf(place)}. Who may add members gives it to you with: conclave chat admit`;
}

/** From when on a conversation can be read, if that is not its beginning. */
async function noteBeginning(side: OwnSide, place: SealedPlace, screen: Unmeasured): Promise<void> {
  if (!(await side.isSealed(place))) return;
  const { oldest } = await side.open(place);
  if (oldest === null || oldest === 1) return;
  const input = { conversationId: place.id, sinceEpoch: oldest - 1, limit: 1 };
  const [first] = (await perform(side.client, operationsOf[place.type].keys, input)).keys;
  if (first !== undefined) side.say(`You can read what was said since ${moment(screen, first.createdAt)}.`);
}

/** All that a person should know when they have read. */
export async function noteReading(
  side: OwnSide,
  place: SealedPlace,
  messages: readonly OpenedMessage[],
  screen: Unmeasured,
): Promise<void> {
  if (!(await side.isSealed(place))) return;
  await noteBeginning(side, place, screen);
  noteUnfit(
    side,
    messages.filter(({ problem }) => problem !== undefined && problem.code !== 'MESSAGE_UNREADABLE').length,
  );
  await noteWaiting(side, place);
}

/** What is wrong with a message that is not shown, said once for all of them. */
function noteUnfit(side: OwnSide, count: number): void {
  if (count > 0)
    side.warn(`${counted(count, 'message')} cannot be shown, because something does not fit. The reason stands there.`);
}
