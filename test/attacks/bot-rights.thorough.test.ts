import { describe, expect, it } from 'vitest';
import { direct } from '../../src/contract/chat/direct.ts';
import type { Operation } from '../../src/contract/operation.ts';
import type { BotRight } from '../../src/contract/scopes.ts';
import { engines } from '../support/stores.ts';
import { openBots } from '../services/chat/bot-scene.ts';
import { channelOf, done, groupOf } from '../services/chat/chat-scene.ts';
import { botMay, botMayAnywhere, codeOf, operations, pathOf } from './granting.ts';

const lacking = '403 INSUFFICIENT_SCOPE';

/** Operations that every bot token with the right may perform, whatever comes of it. */
const allowed = (right: BotRight): readonly string[] =>
  right === 'read' ? botMay.read : [...botMay.read, ...botMay.write];

// Of those without a conversation in their path, this one names a member; the others look for what is in the conversations of the token.
const namesMember = 'chat.send-direct';

describe.each(engines)('every operation on %s', (engine) => {
  it.each(['read', 'write'] as const)(
    'refuses a bot token that may %s, unless it is listed for that',
    async (right) => {
      await using scene = await openBots(engine);
      const { house, ann, bob } = scene;
      const [group, channel] = [await groupOf(house, [ann, bob]), await channelOf(house, [ann, bob])];
      const { conversationId: two } = await done(house, direct.sendDirect, ann, {
        recipientId: bob.memberId,
        content: 'Hello',
      });
      const own = { direct: two, group, channel };
      const scopes = Object.values(own).map((id) => `chat:${id}:${right}`);
      const { token } = await scene.bot(ann, scopes);
      const asked = async (op: Operation, id: string): Promise<string> => {
        const path = pathOf({ ...op, path: op.path.replace(':conversationId', id) });
        const body = op.method === 'GET' ? {} : { body: op.id === namesMember ? { recipientId: bob.memberId } : {} };
        const answer = await house.api(op.method, path, { token, ...body });
        return `${answer.status} ${codeOf(answer.body)}`;
      };
      const idFor = ({ id }: Operation) => (id.includes('channel') ? channel : id.includes('direct') ? two : group);
      const opened: string[] = [];
      for (const op of operations.filter(({ auth, localOnly }) => auth !== 'none' && localOnly !== true))
        if ((await asked(op, idFor(op))) !== lacking) opened.push(op.id);
      expect(opened.toSorted()).toEqual(allowed(right).toSorted());
      const elsewhere = operations.filter(({ bot, id }) => bot !== undefined && !botMayAnywhere.includes(id));
      for (const op of elsewhere) expect(await asked(op, 'f'.repeat(32)), op.id).toBe(lacking);
    },
  );
});
