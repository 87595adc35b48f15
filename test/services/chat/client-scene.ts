import type { Envelope, SentEpoch } from '../../../src/contract/chat/client-mode.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { fromHex, toHex, utf8 } from '../../../src/crypto/bytes.ts';
import { eciesEncrypt } from '../../../src/crypto/ecies.ts';
import type { KeyPair } from '../../../src/crypto/key-pair.ts';
import { digestOfMembers, openMessage, openRoomKey, sealMessage, wrapContext } from '../../../src/crypto/room-keys.ts';
import { epochStatement, keyIdOf, messageStatement } from '../../../src/crypto/room-signatures.ts';
import { sign } from '../../../src/crypto/signature.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { House } from '../../support/house.ts';
import { identityOf } from '../../support/member-key.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { done } from './chat-scene.ts';
import { openChat, type ChatScene } from './scene.ts';

/** A member with their own key, which the node does not have. */
export interface Client extends HouseMember {
  readonly keys: KeyPair;
}

/** A key that a client made. */
export interface MadeKey {
  readonly key: Uint8Array;
  readonly sent: SentEpoch;
}

export interface Conversation {
  readonly id: string;
  key: MadeKey;
}

/** What members do who encrypt by themselves. It stands here once more, beside the client of the program. */
export interface Encrypting {
  client(member: HouseMember): Promise<Client>;
  newId(): string;
  /** the next key of a conversation, or its first one */
  makeKey(author: Client, id: string, members: readonly Client[], before?: SentEpoch): MadeKey;
  /** a message as it is sent, with its own id; `revision` of an edit */
  seal(
    author: Client,
    at: Conversation,
    content: string,
    as?: Partial<{ clientId: string; revision: number }>,
  ): { readonly clientId: string; readonly envelope: Envelope };
  /** what a member reads in a reply, with a key that they opened */
  open(key: Uint8Array, id: string, message: ChatMessage): string;
  /** a group that the first of them owns */
  group(members: readonly [Client, ...Client[]]): Promise<Conversation>;
  /** the key out of a wrap that the node answers */
  unwrap(who: Client, id: string, own: { readonly keyId: string; readonly wrapped: string }): Uint8Array;
}

/** A node with members who encrypt by themselves. */
export interface ClientScene extends ChatScene, Encrypting {
  readonly ann: Client;
  readonly bob: Client;
  readonly cleo: Client;
}

export async function openClients(engine: EngineName): Promise<ClientScene> {
  const chat = await openChat(engine);
  const own = encrypting(chat.house);
  return {
    ...chat,
    ...own,
    ann: await own.client(chat.ann),
    bob: await own.client(chat.bob),
    cleo: await own.client(chat.cleo),
    [Symbol.asyncDispose]: async () => await chat[Symbol.asyncDispose](),
  };
}

export function encrypting(house: House): Encrypting {
  const { random, clock } = house.ctx;
  const roomOf = (id: string) => ({ kind: 'conversation', id });
  const scene: Encrypting = {
    client: async (member) => ({ ...member, keys: await identityOf(member.mnemonic) }),
    newId: () => clock.now().toString(16).padStart(12, '0') + toHex(random(10)),
    makeKey(author, id, members, before) {
      const key = random(32);
      const keyId = keyIdOf(key);
      const room = roomOf(id);
      const epoch = (before?.epoch ?? 0) + 1;
      const membersDigest = digestOfMembers(members.map(({ memberId }) => memberId).toSorted());
      const statement = epochStatement({ room, epoch, keyId, previousKeyId: before?.keyId, membersDigest });
      const wraps = members.map(({ memberId, keys }) => ({
        memberId,
        wrapped: toHex(eciesEncrypt(keys.publicKey, key, wrapContext({ room, keyId }, memberId), 'basic', random)),
      }));
      const signature = toHex(sign(author.keys.privateKey, statement));
      return { key, sent: { epoch, keyId, membersDigest, signature, wraps } };
    },
    seal(author, { id, key }, content, { clientId = toHex(random(16)), revision = 0 } = {}) {
      const { epoch } = key.sent;
      const place = { epoch, senderId: author.memberId, messageId: clientId, revision };
      const sealed = sealMessage(key.key, roomOf(id), place, utf8(JSON.stringify({ content })), random);
      const base64 = (...parts: Uint8Array[]) => Buffer.concat(parts).toString('base64');
      const envelope = {
        epoch,
        revision,
        nonce: base64(sealed.subarray(1, 17)),
        ciphertext: base64(sealed.subarray(33), sealed.subarray(17, 33)),
        signature: toHex(sign(author.keys.privateKey, messageStatement(roomOf(id), place, sealed))),
        mentions: [],
      };
      return { clientId, envelope };
    },
    open(key, id, { encryptedContent, epoch, senderId, clientId, revision }) {
      const place = { epoch, senderId, messageId: clientId ?? '', revision };
      const bytes = openMessage(key, roomOf(id), place, Buffer.from(encryptedContent ?? '', 'base64'));
      return (JSON.parse(Buffer.from(bytes).toString()) as { readonly content: string }).content;
    },
    async group([owner, ...others]) {
      const id = scene.newId();
      const key = scene.makeKey(owner, id, [owner, ...others]);
      const memberIds = others.map(({ memberId }) => memberId);
      const input = { name: 'Garden', memberIds, mode: 'client', conversationId: id, epoch: key.sent } as const;
      await done(house, groups.createGroup, owner, input);
      return { id, key };
    },
    unwrap: ({ keys, memberId }, id, { keyId, wrapped }) =>
      openRoomKey(keys.privateKey, fromHex(wrapped), { room: roomOf(id), keyId }, memberId),
  };
  return scene;
}
