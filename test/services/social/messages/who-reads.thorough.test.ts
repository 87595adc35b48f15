import { describe, expect, it } from 'vitest';
import { conversations } from '../../../../src/contract/social/conversations.ts';
import { messageReports } from '../../../../src/contract/social/message-reports.ts';
import { messageRequests } from '../../../../src/contract/social/message-requests.ts';
import { messages } from '../../../../src/contract/social/messages.ts';
import type { JsonOperation } from '../../../../src/contract/operation.ts';
import type { TestListener } from '../../../platform/realtime/hearing.ts';
import { eventually } from '../../../support/eventually.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { engines } from '../../../support/stores.ts';
import { ask } from '../../notifications/notifying.ts';
import { openHeard } from '../heard-scene.ts';
import { said } from '../scene.ts';
import { openMessages, type MessagesScene } from './scene.ts';

/** What all texts of the conversation have that are not for everybody. */
const secret = 'quokka';

const reading = [conversations, messages, messageRequests, messageReports]
  .flatMap((group): JsonOperation[] => Object.values(group))
  .filter(({ method }) => method === 'GET');

/** A group in which sam said something secret. */
async function openSecret(scene: MessagesScene) {
  const { house, ann } = scene;
  const register = async (username: string) => await house.register({ username });
  const people = {
    sam: await register('sam'),
    reader: await register('reader'),
    blocker: await register('blocker'),
    blocked: await register('blocked'),
    left: await register('left'),
    removed: await register('removed'),
    suspended: await register('suspended'),
    later: await register('later'),
    stranger: await register('stranger'),
  };
  const { sam, reader, blocker, blocked, left, removed, suspended, later } = people;
  const id = await scene.group(ann, sam, reader, blocker, blocked, left, removed, suspended);
  const first = await scene.say(sam, id, `${secret} one`);
  await scene.do(sam, 'PUT', `/${first['_id']}`, { content: `${secret} two` });
  await scene.do(reader, 'POST', `/${first['_id']}/reactions`, { emoji: '👍' });
  await scene.say(ann, id, 'Well', { replyToMessageId: first['_id'] });
  await scene.say(sam, id, `${secret} at the end`);
  await scene.block(blocker, sam);
  await scene.block(sam, blocked);
  await scene.do(left, 'DELETE', `/conversations/${id}`);
  await scene.do(ann, 'DELETE', `/conversations/${id}/participants/${removed.memberId}`);
  await scene.suspend(suspended);
  await scene.do(ann, 'POST', `/conversations/${id}/participants`, { userIds: [later.memberId] });
  await scene.later(10_000);
  return { ...people, id, messageId: first['_id'] as string };
}

type World = Awaited<ReturnType<typeof openSecret>>;

/** What somebody is answered in everything that reads, and by what carries a message on: where there is something secret, and all codes. */
async function read(scene: MessagesScene, { id, messageId }: World, who: HouseMember | undefined) {
  const telling: string[] = [];
  const codes = new Map<string, string>();
  const look = async (where: string, operation: JsonOperation, input: object) => {
    const answer = await scene.house.perform(operation, input, who?.token);
    codes.set(where, said(answer));
    if (JSON.stringify(answer.body).includes(secret)) telling.push(where);
  };
  const fields: Record<string, string> = { id, q: secret, messageId };
  for (const operation of reading) {
    const names = Object.keys(operation.input.entries).filter((name) => name in fields);
    const input = Object.fromEntries(names.map((name) => [name, fields[name]]));
    await look(operation.id, operation, input);
    if (!('around' in operation.input.entries)) continue;
    await look('around', operation, { ...input, around: messageId });
    await look('after', operation, { ...input, after: 0 });
  }
  if (who === undefined) return { telling: telling.toSorted(), codes };
  const own = await scene.house.perform(
    conversations.beginConversation,
    { type: 'group', name: 'Own', participantIds: [scene.cleo.memberId] },
    who.token,
  );
  const target = { targetConversationId: (own.body.data?.['_id'] as string | undefined) ?? id };
  await look('forward', messages.forwardMessage, { messageId, ...target });
  await look('report', messageReports.reportMessage, { messageId, reason: 'Rude' });
  return { telling: telling.toSorted(), codes };
}

describe.each(engines)('what was said in a conversation of the social network on %s', (engine) => {
  it('reaches those who may read it, and nobody else by any way, nor through them', async () => {
    await using scene = await openMessages(engine);
    const world = await openSecret(scene);
    expect((await read(scene, world, world.reader)).telling).toEqual(
      [
        'social.conversation',
        'social.conversations',
        'social.messages',
        'social.search-conversation',
        'social.search-messages',
        'after',
        'around',
        'forward',
      ].toSorted(),
    );
    const { blocker, blocked, left, removed, suspended, later, stranger } = world;
    for (const who of [blocker, blocked, left, removed, suspended, later, stranger, undefined]) {
      const { telling, codes } = await read(scene, world, who);
      const name = who?.username ?? 'nobody';
      expect([name, telling]).toEqual([name, []]);
      if (who === undefined || who === suspended) {
        expect([name, new Set(codes.values())]).toEqual([name, new Set(['401 UNAUTHORIZED'])]);
        continue;
      }
      const list = [blocker, blocked, later].includes(who) ? '200 success' : '403 FORBIDDEN';
      const answers = [codes.get('social.messages'), codes.get('forward'), codes.get('report')];
      expect([name, answers]).toEqual([name, [list, '404 MESSAGE_NOT_FOUND', '404 MESSAGE_NOT_FOUND']]);
      expect(codes.get('social.message-reports')).toBe('403 FORBIDDEN');
      expect(JSON.stringify(await ask(scene.house, who, 'GET'))).not.toContain(secret);
    }
  });

  it('is heard by those who may read it, again and when it is changed later', async () => {
    await using setting = await openHeard(async (options) => await openMessages(engine, options));
    const { scene, listen } = setting;
    const world = await openSecret(scene);
    const { reader, blocker, blocked, later, left, removed, stranger, sam, id, messageId } = world;
    const topic = `conversation:${id}`;
    for (const who of [left, removed, stranger]) expect(await listen(who, topic, 0)).toBeUndefined();
    const hears = new Map<HouseMember, TestListener>();
    for (const who of [reader, blocker, blocked, later]) hears.set(who, (await listen(who, topic, 0))!);
    const told = (who: HouseMember) => hears.get(who)!.heard.filter((frame) => JSON.stringify(frame).includes(secret));
    await eventually(() => expect(told(reader)).toHaveLength(3));
    await scene.do(sam, 'PUT', `/${messageId}`, { content: `${secret} three` });
    await scene.say(scene.ann, id, 'The last one');
    for (const who of hears.keys())
      await eventually(() => expect(JSON.stringify(hears.get(who)!.heard)).toContain('The last one'));
    expect(told(reader)).toHaveLength(4);
    for (const who of [blocker, blocked, later]) expect([who.username, told(who)]).toEqual([who.username, []]);
  });

  it('is not heard any more of what one cleared for oneself', async () => {
    await using setting = await openHeard(async (options) => await openMessages(engine, options));
    const { scene, listen } = setting;
    const { ann, bob } = scene;
    const id = await scene.friends(ann, bob);
    const { _id } = await scene.say(bob, id, `${secret} one`);
    await scene.do(ann, 'DELETE', `/conversations/${id}`);
    const [annHears, bobHears] = [
      (await listen(ann, `conversation:${id}`, 0))!,
      (await listen(bob, `conversation:${id}`, 0))!,
    ];
    await scene.do(bob, 'PUT', `/${_id}`, { content: `${secret} two` });
    await scene.say(bob, id, 'The last one');
    for (const { heard } of [annHears, bobHears])
      await eventually(() => expect(JSON.stringify(heard)).toContain('The last one'));
    expect(JSON.stringify(bobHears.heard)).toContain(secret);
    expect(JSON.stringify(annHears.heard)).not.toContain(secret);
  });
});
