import type { OpenConversation } from '../../../client/chat/open-conversation.ts';
import { perform } from '../../../client/perform.ts';
import type { SentEpoch } from '../../../contract/chat/client-mode.ts';
import { Problem } from '../../../base/problem.ts';
import { operationsOf } from '../operations.ts';
import type { OwnSide, SealedPlace } from './own-side.ts';

/** How often something is done again because the keys changed meanwhile. */
const ATTEMPTS = 5;

/** Whether another member made a key, or left, since the keys were read. */
function isChange(error: unknown): boolean {
  return error instanceof Problem && ['EPOCH_CHANGED', 'EPOCH_CLOSED'].includes(error.code);
}

/** Whether something does not fit that the node says. */
export function isDoubt(error: unknown): error is Problem {
  return error instanceof Problem && error.kind === 'network' && error.code !== 'NETWORK';
}

/** Does something with a conversation as it is now, and again while its keys change meanwhile. */
export async function whileItChanges<T>(
  side: OwnSide,
  place: SealedPlace,
  act: (open: OpenConversation) => Promise<T>,
): Promise<T> {
  let open = await side.open(place);
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await act(open);
    } catch (error) {
      if (left <= 1 || !isChange(error)) throw error;
      open = await side.open(place, 'again');
    }
  }
}

/** The same with a key that can be used: where somebody who had it left, or it does not open here, the next one is made before. @throws Problem conflict KEY_MISSING */
export async function withUsableKey<T>(
  side: OwnSide,
  place: SealedPlace,
  act: (open: OpenConversation) => Promise<T>,
): Promise<T> {
  const { nextEpoch, withoutKey } = await import('../../../client/chat/next-epoch.ts');
  const { needsKey } = await import('../../../client/chat/open-conversation.ts');
  return await whileItChanges(side, place, async (open) => {
    // Members are read before keys, so somebody who was added in between looks like one who left.
    const now = needsKey(open) && !open.closed ? await side.open(place, 'again') : open;
    if (now.current === undefined) throw withoutKey(place.title);
    if (!needsKey(now)) return await act(now);
    const { sent, known } = await nextEpoch(now);
    await perform(side.client, operationsOf[place.type].beginEpoch, { conversationId: place.id, ...sent });
    await side.made(place, known);
    return await act(await side.open(place, 'again'));
  });
}

interface MemberChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/**
 * Changes who is in a conversation, with its next key where only members can read it.
 * @param act with the next key; in mode `server` without it
 * @param then what the conversation is afterwards
 */
export async function addingWithKey<T>(
  side: OwnSide,
  place: SealedPlace,
  add: readonly string[],
  act: (epoch: SentEpoch | undefined) => Promise<T>,
  then: (done: T) => SealedPlace = () => place,
): Promise<T> {
  if (!(await side.isSealed(place))) return await act(undefined);
  const { done, place: after } = await changing(side, place, { add }, act, then);
  await side.open(after, 'again');
  return done;
}

/**
 * The same for somebody who goes. That must not fail for want of a key: without one, the next message of a member makes the key.
 */
export async function removingWithKey<T>(
  side: OwnSide,
  place: SealedPlace,
  memberId: string,
  act: (epoch: SentEpoch | undefined) => Promise<T>,
): Promise<T> {
  if (!(await side.isSealed(place)) || (await side.selfIfGiven()) === undefined) return await act(undefined);
  try {
    const { current, holders } = await side.open(place);
    if (current === undefined || !holders.includes(memberId)) return await act(undefined);
  } catch (error) {
    if (!isDoubt(error)) throw error;
    side.warn(error.message);
    return await act(undefined);
  }
  const done = await changing(side, place, { remove: [memberId] }, act, () => place).then(
    (changed) => changed.done,
    async (error: unknown) => {
      // Any member can make keys all the time, and must not stay by that. The change closes the key then.
      if (!isChange(error) && !isDoubt(error)) throw error;
      if (isDoubt(error)) side.warn(error.message);
      return await act(undefined);
    },
  );
  await side.open(place, 'again').catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    side.warn(`They are removed. ${error.message}`);
  });
  return done;
}

async function changing<T>(
  side: OwnSide,
  place: SealedPlace,
  change: MemberChange,
  act: (epoch: SentEpoch) => Promise<T>,
  then: (done: T) => SealedPlace,
): Promise<{ readonly done: T; readonly place: SealedPlace }> {
  const { nextEpoch } = await import('../../../client/chat/next-epoch.ts');
  return await whileItChanges(side, place, async (open) => {
    const { sent, known } = await nextEpoch(open, change);
    const done = await act(sent);
    const after = then(done);
    // What this machine signed is what it remembers.
    await side.made(after, known);
    return { done, place: after };
  });
}
