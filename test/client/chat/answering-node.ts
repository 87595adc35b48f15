import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatEpoch } from '../../../src/contract/chat/epochs.ts';
import type { ChatMessage } from '../../../src/contract/chat/message.ts';
import type { SentEpoch } from '../../../src/contract/chat/client-mode.ts';
import { envelopes } from '../../../src/contract/envelope.ts';
import type { Caller } from '../../../src/client/perform.ts';
import {
  openConversation,
  type NamedPlace,
  type OpenConversation,
} from '../../../src/client/chat/open-conversation.ts';
import { makeEpoch, type MadeEpoch } from '../../../src/client/chat/member-epochs.ts';
import { sealSaid, type Said } from '../../../src/client/chat/sealed-messages.ts';
import { concat, toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../../src/crypto/public-key.ts';

export interface Person {
  readonly name: string;
  readonly memberId: string;
  readonly keys: KeyPair;
}

export function person(name: string): Person {
  const keys = generateKeyPair();
  return { name, memberId: memberIdOf(keys.publicKey), keys };
}

interface Wrap {
  readonly epoch: number;
  readonly keyId: string;
  wrapped: string;
}

/** What a node answers of one group, as tests want it. */
export interface Answers {
  mode: 'server' | 'client';
  closed: boolean;
  /** number of the newest key, where it is not that of the last one it shows */
  newest?: number;
  readonly epochs: ChatEpoch[];
  readonly wraps: Map<string, Wrap[]>;
  members: { memberId: string; username: string; hasKey: boolean; publicKey: string }[];
}

const createdAt = '2026-11-30T12:00:00.000Z';
export const group: NamedPlace = { id: '0192f3a4b5c6d7e8f900112233445566', type: 'group', title: 'Board' };
const room = { kind: 'conversation', id: group.id };

/** A node of which tests say what it answers, and the members who use it. Each has a memory of their own. */
export interface AnsweringNode extends AsyncDisposable {
  readonly answers: Answers;
  readonly made: Map<number, MadeEpoch>;
  readonly folder: string;
  /** an honest key of one of them, for these */
  begin(author: Person, holders: readonly Person[]): MadeEpoch;
  /** puts a key there that somebody made, whoever they are */
  take(author: Person, epoch: MadeEpoch, holders: readonly Person[]): void;
  open(
    who: Person,
    options?: { readonly place?: NamedPlace; readonly accept?: 'look' | 'believe' },
  ): Promise<OpenConversation>;
  memoryOf(who: Person): { readonly folder: string; readonly server: string; readonly memberId: string };
  callerOf(who: Person): Caller;
  /** a message as the node answers it */
  message(sender: Person, said: Said, facts: Partial<ChatMessage> & Pick<ChatMessage, 'id' | 'seq'>): ChatMessage;
}

export async function openAnsweringNode(people: readonly Person[]): Promise<AnsweringNode> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-known-'));
  const answers: Answers = { mode: 'client', closed: false, epochs: [], wraps: new Map(), members: [] };
  const made = new Map<number, MadeEpoch>();
  const node: AnsweringNode = {
    answers,
    made,
    folder,
    begin(author, holders) {
      const epoch = makeEpoch(author.keys, room, made.get(made.size)?.known, holders.map(holderOf));
      made.set(epoch.known.epoch, epoch);
      node.take(author, epoch, holders);
      return epoch;
    },
    take(author, { sent, known }, holders) {
      const { wraps, ...facts } = sent;
      const previousKeyId = answers.epochs.at(-1)?.keyId ?? null;
      const memberIds = [...known.memberIds];
      const reason = 'requested' as const;
      answers.epochs.push({ ...facts, reason, previousKeyId, authorId: author.memberId, memberIds, createdAt });
      for (const { memberId, wrapped } of wraps)
        answers.wraps.set(memberId, [
          ...(answers.wraps.get(memberId) ?? []),
          { epoch: sent.epoch, keyId: sent.keyId, wrapped },
        ]);
      answers.members = holders.map((one) => ({ ...listed(one), hasKey: true }));
    },
    memoryOf: ({ name, memberId }) => ({ folder: join(folder, name), server: 'https://home.test', memberId }),
    callerOf: (who) => callerOf(node, people, who),
    open: async (who, { place = group, accept } = {}) =>
      await openConversation({ caller: node.callerOf(who), place, self: who, memory: node.memoryOf(who), accept }),
    message(sender, said, { id, seq, ...facts }) {
      const { clientId = id, epoch = made.size, revision = 0 } = facts;
      const key = made.get(epoch)?.key ?? new Uint8Array(32);
      const place = { epoch, senderId: sender.memberId, messageId: clientId ?? '', revision };
      const { nonce, ciphertext, signature } = sealSaid(sender.keys, key, room, place, said);
      return {
        id,
        seq,
        conversationId: group.id,
        senderId: sender.memberId,
        senderName: sender.name,
        content: null,
        encryptedContent: sealedOf(nonce, ciphertext),
        signature,
        attachments: [],
        epoch,
        revision,
        clientId,
        replyToMessageId: null,
        createdAt,
        editedAt: null,
        deletedAt: null,
        pinned: false,
        reactions: [],
        reactionCounts: [],
        ...facts,
      };
    },
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
  return node;
}

export function holderOf({ memberId, keys }: Person) {
  return { memberId, publicKey: keys.publicKey };
}

export function listed({ memberId, name, keys }: Person) {
  return { memberId, username: name, hasKey: false, publicKey: toHex(keys.publicKey) };
}

/** As a node stores what came in an envelope. */
export function sealedOf(nonce: string, ciphertext: string): string {
  const bytes = Buffer.from(ciphertext, 'base64');
  const [text, tag] = [bytes.subarray(0, -16), bytes.subarray(-16)];
  return Buffer.from(concat(Uint8Array.of(1), Buffer.from(nonce, 'base64'), tag, text)).toString('base64');
}

function callerOf(node: AnsweringNode, people: readonly Person[], who: Person): Caller {
  return {
    place: 'https://home.test',
    userAgent: 'test',
    tokenFor: async () => 'a.b.c',
    transport: {
      send: async ({ path, method, body }) => {
        const reply = answer(node, people, who, { path, method, body: typeof body === 'string' ? body : '' });
        const status = reply === undefined ? 404 : method === 'POST' ? 201 : 200;
        const { success, failure } = envelopes.social;
        const missing = { code: 'MEMBER_NOT_FOUND', message: 'No such member', fields: [] };
        const text = JSON.stringify(reply === undefined ? failure(missing, 'NOT_FOUND') : success(reply, 'Done'));
        return { status, headers: {}, body: once(Buffer.from(text)) };
      },
      [Symbol.asyncDispose]: async () => {},
    },
  };
}

interface Asked {
  readonly path: string;
  readonly method: string;
  readonly body: string;
}

function answer(node: AnsweringNode, people: readonly Person[], who: Person, asked: Asked): unknown {
  const { answers } = node;
  const url = new URL(asked.path, 'https://home.test');
  const since = Math.max(0, ...[url.searchParams.get('sinceEpoch') ?? '0'].map(Number));
  const own = (answers.wraps.get(who.memberId) ?? []).filter(({ epoch }) => epoch > since);
  const first = answers.wraps.get(who.memberId)?.[0]?.epoch ?? null;
  const about = {
    conversationId: group.id,
    epoch: answers.newest ?? answers.epochs.at(-1)?.epoch ?? 0,
    hasMore: false,
  };
  const [what = ''] = url.pathname.split('/').slice(-1);
  if (asked.method === 'POST') {
    const sent = JSON.parse(asked.body) as SentEpoch;
    const holders = people.filter(({ memberId }) => sent.wraps.some((wrap) => wrap.memberId === memberId));
    const known = {
      epoch: sent.epoch,
      keyId: sent.keyId,
      memberIds: sent.wraps.map((wrap) => wrap.memberId).toSorted(),
    };
    node.take(who, { sent, known, key: new Uint8Array() }, holders);
    answers.closed = false;
    return { conversationId: group.id, epoch: sent.epoch };
  }
  if (what === 'keys') {
    const keys = own.map((one) => Object.assign({ reason: 'requested', createdAt }, one));
    return { ...about, mode: answers.mode, closed: answers.closed, oldestEpoch: first, keys };
  }
  if (what === 'epochs') {
    const epochs = answers.epochs.filter(({ epoch }) => first !== null && epoch >= first && epoch > since);
    return { ...about, closed: answers.closed, epochs };
  }
  if (what === 'members') {
    const items = answers.members.map((one) => Object.assign({ role: 'member', joinedAt: createdAt }, one));
    return { items, hasMore: false, cursor: null };
  }
  const found = people.find(({ memberId }) => url.pathname.includes(memberId));
  return found && { memberId: found.memberId, username: found.name, publicKey: listed(found).publicKey };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
