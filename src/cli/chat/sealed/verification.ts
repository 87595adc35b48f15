import type { OpenConversation } from '../../../client/chat/open-conversation.ts';
import { Problem } from '../../../base/problem.ts';
import type { Screen } from '../../kit/screen.ts';
import { details, table, type Detail } from '../../kit/table.ts';
import type { OwnSide, SealedPlace } from './own-side.ts';

interface Person {
  readonly memberId: string;
  /** empty if the node does not know them any more */
  readonly username: string;
}

/** What signatures say of a conversation, for people who compare it. */
export interface Verification {
  readonly conversationId: string;
  readonly title: string;
  readonly fits: boolean;
  /** of those who have the newest key; null if something does not fit, or the member at this machine waits for it */
  readonly safetyNumber: string | null;
  readonly epoch: number | null;
  /** whether the next message makes a new key */
  readonly closed: boolean | null;
  readonly members: readonly Person[];
  readonly waiting: readonly Person[];
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

/**
 * Proves a conversation.
 * @param accept whether this machine is to believe what is there now, whatever it remembers
 * @throws Problem invalid USAGE for one that the node can read; others than those that say what does not fit
 */
export async function verifyConversation(
  side: OwnSide,
  place: SealedPlace,
  accept: boolean,
): Promise<{ readonly verification: Verification; readonly problem: Problem | undefined }> {
  const { id: conversationId, title } = place;
  try {
    if (!(await side.isSealed(place))) throw notSealed(title);
    const open = await side.open(place, accept ? 'accept' : 'again');
    const people = (ids: readonly string[]) => inOrder(ids.map((memberId) => personIn(open, place, memberId)));
    const verification = {
      conversationId,
      title,
      fits: true,
      safetyNumber: open.current === undefined ? null : await safetyNumberOf(open),
      epoch: open.current?.epoch ?? null,
      closed: open.closed,
      members: people(open.holders),
      waiting: people(open.waiting.map(({ memberId }) => memberId)),
      problems: [],
    };
    return { verification, problem: undefined };
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'network' && error.code !== 'NETWORK')) throw error;
    const { code, message } = error;
    const nothing = { safetyNumber: null, epoch: null, closed: null, members: [], waiting: [] };
    return {
      verification: { conversationId, title, fits: false, ...nothing, problems: [{ code, message }] },
      problem: error,
    };
  }
}

async function safetyNumberOf(open: OpenConversation): Promise<string> {
  const { safetyNumberFor } = await import('../../../client/chat/next-epoch.ts');
  return await safetyNumberFor(open);
}

function personIn({ members, self }: OpenConversation, place: SealedPlace, memberId: string): Person {
  const username = members.find((one) => one.memberId === memberId)?.username;
  const other = place.type === 'direct' && memberId !== self.memberId ? place.title : '';
  return { memberId, username: username ?? other };
}

/** By name, as people look for each other. */
function inOrder(people: readonly Person[]): Person[] {
  const nameOf = ({ username, memberId }: Person) => `${username || memberId} ${memberId}`;
  return people.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

function notSealed(title: string): Problem {
  const message = `The node can read ${title}, so there is nothing to verify. A mode never changes.`;
  return new Problem('invalid', 'USAGE', message);
}

const HALF = 35;

/** @param ownId of the member at this machine */
export function verificationText(screen: Screen, shown: Verification, ownId: string): string {
  const { safetyNumber, epoch, closed, members, waiting } = shown;
  const pairs: Detail[] = [
    ['Conversation', shown.title],
    ['Fits', shown.fits ? 'yes' : 'no'],
    ...(safetyNumber === null
      ? []
      : [['Safety number', safetyNumber.slice(0, HALF)] as const, ['', safetyNumber.slice(HALF + 1)] as const]),
    ...(epoch === null ? [] : [['Key', `${epoch}${closed ? ', the next message makes another one' : ''}`] as const]),
  ];
  const rows = [
    ...members.map((person) => ({ person, key: 'has it' })),
    ...waiting.map((person) => ({ person, key: 'waits' })),
  ];
  const people = table(screen, rows, [
    { title: 'MEMBER', of: ({ person }) => person.username || person.memberId, main: true },
    { title: 'KEY', of: ({ key, person }) => (person.memberId === ownId ? `${key} (you)` : key), whole: true },
    { title: 'ID', of: ({ person }) => person.memberId, whole: true },
  ]);
  return [details(screen, pairs), ...(rows.length === 0 ? [] : [people])].join('\n');
}
