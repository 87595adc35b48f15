import { describe, expect, it } from 'vitest';
import { accounts } from '../../../src/contract/accounts.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { utf8 } from '../../../src/crypto/bytes.ts';
import { sealWithKey } from '../../../src/crypto/sealing.ts';
import { canaries, leaks } from '../../support/canaries.ts';
import { directAnswer } from '../../support/member-key.ts';
import { engines } from '../../support/stores.ts';
import { openBare } from '../social/stored-bytes.ts';
import { done } from './chat-scene.ts';
import { encrypting, type Client } from './client-scene.ts';

describe.each(engines)('what a node has of conversations that only members can read, on %s', (engine) => {
  it('is neither a text nor a file nor a key, in its store, its log, or what it was sent', async () => {
    await using bare = await openBare(engine);
    const { house } = bare.scene;
    const client = encrypting(house);
    const received: Buffer[] = [];
    /** Signs in by key, so the node is not shown the password either. */
    const enter = async (): Promise<Client> => {
      const member = await client.client(await house.register());
      const answer = await directAnswer(house, member);
      const signed = await house.perform(accounts.directChallenge, answer);
      return { ...member, token: signed.body.token as string };
    };
    const [ann, bob, cleo] = [await enter(), await enter(), await enter()];
    const secrets = canaries();
    const keys: Uint8Array[] = [];
    const sent = async <T>(work: (input: never) => Promise<T>, input: unknown): Promise<T> => {
      received.push(Buffer.from(JSON.stringify(input)));
      return await work(input as never);
    };
    const garden = await client.group([ann, bob, cleo]);
    const { id: conversationId } = garden;
    keys.push(garden.key.key);
    const first = client.seal(ann, garden, secrets.plant('first'));
    const send = async (who: Client, input: object) =>
      await sent(async (given) => await done(house, groups.sendToGroup, who, given), { conversationId, ...input });
    const message = await send(ann, first);
    const { clientId } = first;
    const { envelope } = client.seal(ann, garden, secrets.plant('edited'), { clientId, revision: 1 });
    const edit = { conversationId, messageId: message.id, envelope };
    await sent(async (given) => await done(house, messages.groupEditMessage, ann, given), edit);
    const fileKey = house.ctx.random(32);
    keys.push(fileKey);
    const content = sealWithKey(fileKey, utf8(secrets.plant('file').repeat(50)), utf8('conclave/chat-file/v1'));
    received.push(Buffer.from(content));
    const uploaded = await house.api('POST', '/api/chat/attachments?filename=file', {
      token: bob.token,
      rawBody: new Uint8Array(content),
      headers: { 'content-type': 'application/octet-stream', 'content-length': `${content.length}` },
    });
    const attachments = [uploaded.body.data.id as string];
    const withFile = await send(bob, { ...client.seal(bob, garden, secrets.plant('with a file')), attachments });
    expect(withFile.attachments).toMatchObject([{ id: attachments[0], filename: 'file', size: content.length }]);
    const got = await house.fetch(
      new Request(`http://house.test/api/chat/attachments/${attachments[0]}`, {
        headers: { authorization: `Bearer ${cleo.token}` },
      }),
    );
    expect(Buffer.from(await got.arrayBuffer()).equals(content)).toBe(true);
    const next = client.makeKey(ann, conversationId, [ann, bob], garden.key.sent);
    keys.push(next.key);
    const kick = { conversationId, memberId: cleo.memberId, epoch: next.sent };
    await sent(async (given) => await done(house, moderation.groupKick, ann, given), kick);
    garden.key = next;
    await send(bob, client.seal(bob, garden, secrets.plant('after')));

    const own = await done(house, places.groupKeys, bob, { conversationId });
    const last = (await done(house, messages.groupMessages, bob, { conversationId })).items.at(-1)!;
    const key = client.unwrap(bob, conversationId, own.keys.at(-1)!);
    // What is looked for can be found: it is there for whoever has the key.
    expect(leaks(secrets.all, client.open(key, conversationId, last))).toEqual([secrets.all.at(-1)]);
    const stored = await bare.bytes();
    expect(stored.includes(Buffer.from(next.sent.keyId))).toBe(true);
    for (const place of [stored, Buffer.concat(received), JSON.stringify(house.log)])
      expect(leaks(secrets.all, place)).toEqual([]);
    for (const one of keys.map((bytes) => Buffer.from(bytes)))
      for (const spelled of [one, one.toString('hex'), one.toString('base64'), one.toString('base64url')])
        for (const place of [stored, ...received, Buffer.from(JSON.stringify(house.log))])
          expect(Buffer.from(place).indexOf(spelled)).toBe(-1);
  });
});
