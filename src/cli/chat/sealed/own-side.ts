import type { Client } from '../../../client/client.ts';
import type { Self } from '../../../client/chat/epoch-chain.ts';
import type { KnownConversation, Memory } from '../../../client/chat/known-conversations.ts';
import type { OpenConversation } from '../../../client/chat/open-conversation.ts';
import type { MessageOpener, OpenedMessage } from '../../../client/chat/open-messages.ts';
import type { KnownEpoch } from '../../../client/chat/member-epochs.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { ownKeys, ownKeysIfGiven, type OwnKeys } from '../../accounts/own-key.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { ownClaims, ownId } from '../own-id.ts';

/** What commands need of a conversation to find out who can read it, and to open it. */
export type SealedPlace = Pick<Conversation, 'id' | 'type' | 'title' | 'mode' | 'participants'>;

/** The side of the member at this machine in conversations that only their members can read. The key is asked for when it is needed. */
export interface OwnSide {
  readonly client: Client;
  readonly terminal: Terminal;
  readonly say: (text: string) => void;
  readonly warn: (text: string) => void;
  memory(): Promise<Memory>;
  self(): Promise<Self>;
  /** without asking for the key */
  selfIfGiven(): Promise<Self | undefined>;
  /**
   * Whether only members can read a conversation.
   * @throws Problem network CONVERSATION_MODE_CHANGED for one that only members could read, and for another one with a member with whom this machine knows such a one
   */
  isSealed(place: SealedPlace): Promise<boolean>;
  /** @param how `again`: as it is now; `look`, `believe`: whatever this machine remembers, see `Opening` */
  open(place: SealedPlace, how?: 'again' | 'look' | 'believe'): Promise<OpenConversation>;
  /** remembers a key that was made here and that the node took */
  made(place: SealedPlace, known: KnownEpoch): Promise<void>;
  /** what members said in any conversation; messages that the node can read stay as they are */
  read(place: SealedPlace, messages: readonly ChatMessage[]): Promise<OpenedMessage[]>;
  opener(place: SealedPlace): Promise<MessageOpener>;
}

interface Given extends Pick<OwnSide, 'client' | 'terminal' | 'say' | 'warn'> {
  readonly keyFile: string | undefined;
}

const passwordNote =
  'You signed in with your password, so the server has seen it, and could open with it the copy of your private key that it stores. A sign-in by key shows it nothing: conclave login --key';

export function ownSide({ keyFile, ...given }: Given): OwnSide {
  const { client, terminal, say } = given;
  const opened = new Map<string, OpenConversation>();
  const openers = new Map<string, MessageOpener>();
  const sealed = new Map<string, boolean>();
  const warned = new Set<string>();
  let kept: Promise<Self> | undefined;
  let whose: Promise<Memory> | undefined;

  const side: OwnSide = {
    ...given,
    memory: async () => await (whose ??= memoryOf(client)),
    self: async () => await (kept ??= selfWith(client, ownKeys(terminal, client, keyFile, 'conversation'))),
    async selfIfGiven() {
      if (kept !== undefined) return await kept;
      const keys = await ownKeysIfGiven(terminal, client, keyFile);
      return keys === undefined ? undefined : await (kept = selfWith(client, keys));
    },
    async isSealed(place) {
      const { id, mode, title } = place;
      if (mode === 'client') return true;
      if (sealed.get(id) === false) return false;
      // The node must not have us believe that it may read what it may not.
      const { readKnown } = await import('../../../client/chat/known-conversations.ts');
      if ((await readKnown(await side.memory(), id)) !== undefined || (await hasLostPair(side, place))) {
        throw (await import('../../../client/chat/open-conversation.ts')).modeChanged(title);
      }
      sealed.set(id, false);
      return false;
    },
    async open(place, how) {
      const before = how === undefined ? opened.get(place.id) : undefined;
      if (before !== undefined) return before;
      const self = await side.self();
      const { openConversation } = await import('../../../client/chat/open-conversation.ts');
      const accept = how === 'again' ? undefined : how;
      const open = await openConversation({ caller: client, place, self, memory: await side.memory(), accept });
      if (how !== 'look') opened.set(place.id, open);
      if (await client.tellsOfPassword()) say(passwordNote);
      for (const [epoch, why] of open.unopened) {
        if (warned.has(`${place.id} ${epoch}`)) continue;
        warned.add(`${place.id} ${epoch}`);
        const next = epoch === open.current?.epoch ? ' Your next message makes another one, for the same members.' : '';
        side.warn(`${why} What was said under it cannot be read here.${next}`);
      }
      return open;
    },
    async made(place, known) {
      const { rememberMade } = await import('../../../client/chat/open-conversation.ts');
      await rememberMade({ self: await side.self(), memory: await side.memory() }, place, known);
    },
    async opener(place) {
      const before = openers.get(place.id);
      if (before !== undefined) return before;
      const { messageOpener } = await import('../../../client/chat/open-messages.ts');
      const opener = messageOpener(await side.open(place), async () => await side.open(place, 'again'));
      openers.set(place.id, opener);
      return opener;
    },
    async read(place, messages) {
      if (!(await side.isSealed(place))) return [...messages];
      const items = await (await side.opener(place)).open(messages);
      const files = items.flatMap(({ id, attachments }) => attachments.map((file): [string, string] => [file.id, id]));
      if (files.length > 0) {
        const { remember, withFiles } = await import('../../../client/chat/known-conversations.ts');
        await remember(await side.memory(), place.id, (known) => known && withFiles(known, files));
      }
      return items;
    },
  };
  return side;
}

async function selfWith(client: Client, keys: Promise<OwnKeys> | OwnKeys): Promise<Self> {
  return { keys: await keys, memberId: await ownId(client), name: (await ownClaims(client))?.username };
}

/** Whether this machine knows a conversation with the other member that only the two can read, instead of this one. */
async function hasLostPair(side: OwnSide, { id, type, participants = [] }: SealedPlace): Promise<boolean> {
  if (type !== 'direct') return false;
  const { memberId } = await side.memory();
  const other = participants.find((one) => one !== memberId);
  return other !== undefined && (await lostWith(side, other, id)) !== undefined;
}

/**
 * The conversation of two with a member that this machine remembers, unless it is another one's by now. That it is a group is proven by its keys.
 * @param except the id of one that it is not
 */
export async function lostWith(
  side: OwnSide,
  memberId: string,
  except?: string,
): Promise<KnownConversation | undefined> {
  const { listKnown } = await import('../../../client/chat/known-conversations.ts');
  const memory = await side.memory();
  const isLost = (known: KnownConversation) => known.with === memberId && known.conversationId !== except;
  const lost = (await listKnown(memory)).find(isLost);
  const self = lost === undefined ? undefined : await side.selfIfGiven();
  if (lost === undefined || self === undefined) return lost;
  const { lostPair } = await import('../../../client/chat/open-conversation.ts');
  return await lostPair({ caller: side.client, self, memory }, memberId, except);
}

/** What this machine remembers of conversations of the caller. */
export async function memoryOf(client: Client): Promise<Memory> {
  return { folder: client.folder, server: client.connection.server, memberId: await ownId(client) };
}

/** Who leaves or deletes a conversation does not compare with what was there before, when they come back, and its name is free. */
export async function forgetEpochs(client: Client, conversationId: string): Promise<void> {
  const { remember, withoutEpochs, withoutTitle } = await import('../../../client/chat/known-conversations.ts');
  const memory = await memoryOf(client);
  await remember(memory, conversationId, (known) => known && withoutTitle(withoutEpochs(known)));
}
