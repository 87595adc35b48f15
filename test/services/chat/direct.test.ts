import { describe, expect, it } from 'vitest';
import { direct } from '../../../src/contract/chat/direct.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

describe.each(engines)('direct messages on %s', (engine) => {
  it('begin a conversation, and come in order', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = [await house.register(), await house.register()];
    const first = await house.perform(
      direct.sendDirect,
      { recipientId: bob.memberId, content: 'Hello, Bob' },
      ann.token,
    );
    expect(first).toMatchObject({ status: 201, body: { data: { seq: 1, content: 'Hello, Bob' } } });
    const { conversationId } = first.body.data;
    const second = await house.perform(direct.sendDirect, { recipientId: ann.memberId, content: 'Hi' }, bob.token);
    expect(second.body.data).toMatchObject({ conversationId, seq: 2 });
    const page = await house.perform(messages.directMessages, { conversationId }, ann.token);
    expect(page.body.data).toMatchObject({ items: [{ content: 'Hello, Bob' }, { content: 'Hi' }], cursor: null });
    const list = await house.perform(direct.listConversations, {}, ann.token);
    expect(list.body.data).toMatchObject({
      items: [{ id: conversationId, unread: 1, lastMessagePreview: 'Hi', lastSeq: 2 }],
    });
  });
});
