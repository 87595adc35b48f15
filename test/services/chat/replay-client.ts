import { chatEvents } from '../../../src/contract/chat/events.ts';
import { members } from '../../../src/contract/chat/members.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import type { TestListener } from '../../platform/realtime/hearing.ts';
import type { House } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { done } from './chat-scene.ts';

/** What a client shows of a message. */
interface Shown {
  readonly id: string;
  readonly seq: number;
  readonly content: string | null;
  readonly isDeleted: boolean;
  readonly isPinned: boolean;
  readonly reactions: readonly string[];
}

interface Reaction {
  readonly reactionId: string;
  readonly emoji: string;
  readonly memberId: string;
}

const named = ({ reactionId, emoji, memberId }: Reaction): string => `${reactionId} ${emoji} ${memberId}`;

/** What an event may say. */
interface Said extends Reaction {
  readonly messageId: string;
  readonly seq: number;
  readonly role: string;
  readonly message: ChatMessage;
}

type Take = (client: ReplayClient, said: Said) => void;

function changing(change: (before: Shown, said: Said) => Partial<Shown>): Take {
  return (client, said) => {
    const before = client.shown.get(said.messageId);
    if (before !== undefined) client.shown.set(said.messageId, { ...before, ...change(before, said) });
  };
}

const without = ({ reactions }: Shown, said: Said) => reactions.filter((one) => one !== named(said));
const gone: Take = (client, { memberId }) => void client.roles.delete(memberId);

const takes: Readonly<Record<string, Take>> = {
  [chatEvents.messageSent.name]: (client, { message }) => client.show(message),
  [chatEvents.messageEdited.name]: (client, { message }) => client.show(message),
  [chatEvents.messageDeleted.name]: (client, { messageId: id, seq }) =>
    void client.shown.set(id, { id, seq, content: null, isDeleted: true, isPinned: false, reactions: [] }),
  [chatEvents.messagePinned.name]: changing(() => ({ isPinned: true })),
  [chatEvents.messageUnpinned.name]: changing(() => ({ isPinned: false })),
  [chatEvents.reactionAdded.name]: changing((before, said) => ({
    reactions: [...without(before, said), named(said)].toSorted(),
  })),
  [chatEvents.reactionRemoved.name]: changing((before, said) => ({ reactions: without(before, said) })),
  [chatEvents.memberJoined.name]: (client, { memberId }) => void client.roles.set(memberId, 'member'),
  [chatEvents.memberLeft.name]: gone,
  [chatEvents.memberKicked.name]: gone,
  [chatEvents.roleChanged.name]: (client, { memberId, role }) => void client.roles.set(memberId, role),
};

/** A client that reads a conversation once, and then goes by what it hears. */
export class ReplayClient {
  readonly shown = new Map<string, Shown>();
  /** roles of the members, by their ids */
  readonly roles = new Map<string, string>();
  listener: TestListener | undefined;
  /** number of the last event that it knows */
  last: number | undefined;
  /** events that came too late or twice, and what it was told of those that it cannot have any more; there are none */
  readonly wrong: unknown[] = [];
  /** names of what it heard */
  readonly names = new Set<string>();
  #lastSent = 0;

  show({ id, seq, content, deleted, pinned, reactions }: ChatMessage): void {
    const kinds = reactions.map(named).toSorted();
    this.shown.set(id, { id, seq, content, isDeleted: deleted === true, isPinned: pinned, reactions: kinds });
  }

  /** Reads all there is. */
  async read(house: House, reader: HouseMember, conversationId: string): Promise<void> {
    const list = await done(house, messages.groupMessages, reader, { conversationId, limit: 200 });
    if (list.hasMore) throw new Error('a test sends no more than a page');
    const { items } = await done(house, members.groupMembers, reader, { conversationId });
    for (const message of list.items) this.show(message);
    for (const { memberId, role } of items) this.roles.set(memberId, role);
  }

  /** Takes what was heard since it looked last, at most so many frames. */
  hear(most = Number.MAX_SAFE_INTEGER): void {
    for (const event of this.listener?.heard.splice(0, most) ?? []) {
      const { type, seq, data } = event as { type: string; seq?: number; data: Said };
      // What passes has no number, and changes nothing of all this.
      if (seq === undefined) continue;
      const isLate = seq <= (this.last ?? 0);
      const isSent = type === chatEvents.messageSent.name;
      if (type === 'resync' || isLate || (isSent && data.seq <= this.#lastSent)) this.wrong.push(event);
      if (type === 'resync') continue;
      if (isSent) this.#lastSent = data.seq;
      this.last = seq;
      this.names.add(type);
      takes[type]?.(this, data);
    }
  }

  /** All that it shows: messages in their order, and members. */
  get state() {
    const inOrder = [...this.shown.values()].toSorted((one, other) => one.seq - other.seq);
    return { messages: inOrder, roles: Object.fromEntries([...this.roles].toSorted()) };
  }
}
