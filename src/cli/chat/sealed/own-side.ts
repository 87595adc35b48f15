import type { Client } from '../../../client/client.ts';
import type { Self } from '../../../client/chat/epoch-chain.ts';
import type { Memory } from '../../../client/chat/known-conversations.ts';
import type { OpenConversation } from '../../../client/chat/open-conversation.ts';
import type { MessageOpener, OpenedMessage } from '../../../client/chat/open-messages.ts';
import { claimsOf } from '../../../client/token-claims.ts';
import { accounts } from '../../../contract/accounts.ts';
import type { Conversation } from '../../../contract/chat/conversation.ts';
import type { ChatMessage } from '../../../contract/chat/message.ts';
import { ownKeys, ownKeysIfGiven, type OwnKeys } from '../../accounts/own-key.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { myName } from '../../social/my-name.ts';

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
  /** Whether only members can read a conversation. @throws Problem network CONVERSATION_MODE_CHANGED */
  isSealed(place: SealedPlace): Promise<boolean>;
  /** @param how `again`: as it is now; `accept`: whatever this machine remembers */
  open(place: SealedPlace, how?: 'again' | 'accept'): Promise<OpenConversation>;
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
    async isSealed({ id, mode, title }) {
      if (mode === 'client') return true;
      // The node must not have us believe that it may read what it may not.
      const { readKnown } = await import('../../../client/chat/known-conversations.ts');
      if ((await readKnown(await side.memory(), id)) === undefined) return false;
      throw (await import('../../../client/chat/open-conversation.ts')).modeChanged(title);
    },
    async open(place, how) {
      const before = how === undefined ? opened.get(place.id) : undefined;
      if (before !== undefined) return before;
      const self = await side.self();
      const { openConversation } = await import('../../../client/chat/open-conversation.ts');
      const accept = how === 'accept';
      const open = await openConversation({ caller: client, place, self, memory: await side.memory(), accept });
      opened.set(place.id, open);
      if (await client.tellsOfPassword()) say(passwordNote);
      return open;
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
  return { keys: await keys, memberId: await ownId(client) };
}

/** What this machine remembers of conversations of the caller. */
export async function memoryOf(client: Client): Promise<Memory> {
  return { folder: client.folder, server: client.connection.server, memberId: await ownId(client) };
}

/** The member whose token it is; the node checks the token. */
async function ownId(client: Client): Promise<string> {
  const token = await client.tokenFor(accounts.verify);
  return (token === undefined ? undefined : claimsOf(token)?.memberId) ?? (await myName(client));
}
