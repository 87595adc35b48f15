import { describe, expect, it } from 'vitest';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { channels } from '../../../src/contract/chat/channels.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { places } from '../../../src/contract/chat/places.ts';
import { eventually } from '../../support/eventually.ts';
import { engines } from '../../support/stores.ts';
import { openHeard } from '../social/heard-scene.ts';
import { channelOf, done } from './chat-scene.ts';
import { openChat } from './scene.ts';

type Heard = NonNullable<Awaited<ReturnType<Awaited<ReturnType<typeof openHeard>>['listen']>>>;

const open = async (engine: EngineName) => await openHeard(async (options) => await openChat(engine, options));
const names = ({ heard }: Heard) => heard.map(({ type }) => type.replace(/^communication:|^conversation:/, ''));

describe.each(engines)('channels in real time on %s', (engine) => {
  it('are heard by members alone, whatever their visibility, and no longer than they are members', async () => {
    await using setting = await open(engine);
    const { scene, listen } = setting;
    const { house, ann, bob, cleo } = scene;
    const conversationId = await channelOf(house, [ann]);
    const topic = `conversation:${conversationId}`;
    const say = async (content: string) => await done(house, channels.sendToChannel, ann, { conversationId, content });
    expect(await listen(bob, topic)).toBeUndefined();
    await say('One');
    const annHears = (await listen(ann, topic))!;
    await done(house, channels.joinChannel, bob, { conversationId });
    await done(house, channels.joinChannel, cleo, { conversationId });
    // Who has joined reads what was said before, and hears what comes.
    const bobHears = (await listen(bob, topic, 0))!;
    const inbox = (await listen(bob, `inbox:${bob.memberId}`))!;
    house.clock.advance(1_000);
    await say('Two');
    await done(house, channels.updateChannel, ann, { conversationId, topic: 'Tea' });
    await eventually(() =>
      expect(names(bobHears)).toEqual(['member_joined', 'member_joined', 'message_sent', 'channel_updated']),
    );
    expect(bobHears.heard.at(-1)?.data).toMatchObject({
      contextType: 'channel',
      topic: 'Tea',
      updatedBy: ann.memberId,
    });
    await done(house, moderation.channelKick, ann, { conversationId, memberId: bob.memberId });
    await say('Three');
    await eventually(() =>
      expect(names(annHears)).toEqual([
        'member_joined',
        'member_joined',
        'message_sent',
        'channel_updated',
        'key_rotated',
        'member_kicked',
        'message_sent',
      ]),
    );
    expect(names(bobHears)).toHaveLength(4);
    expect(await listen(bob, topic)).toBeUndefined();
    await eventually(() => expect(names(inbox)).toContain('removed'));
    expect(new Set(names(inbox))).toEqual(new Set(['activity', 'removed']));
  });

  it('tell members that it was deleted, and that there is a new one', async () => {
    await using setting = await open(engine);
    const { scene, listen } = setting;
    const { house, ann, bob } = scene;
    const inbox = (await listen(bob, `inbox:${bob.memberId}`))!;
    const conversationId = await channelOf(house, [ann, bob]);
    await eventually(() => expect(names(inbox)).toEqual(['added']));
    await done(house, channels.deleteChannel, ann, { conversationId });
    await eventually(() => expect(names(inbox)).toEqual(['added', 'removed', 'channel_deleted']));
    expect(inbox.heard.at(-1)?.data).toMatchObject({ conversationId, name: 'garden' });
    expect(await listen(ann, `conversation:${conversationId}`)).toBeUndefined();
  });

  it('notify of messages that name somebody, and of others whom one wants to hear', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const conversationId = await channelOf(house, [ann, bob]);
    await done(house, channels.joinChannel, cleo, { conversationId });
    const shown = async (who: typeof bob) => await done(house, channels.showChannel, who, { conversationId });
    expect((await shown(bob)).notifications).toBe('mentions');
    await done(house, channels.sendToChannel, ann, { conversationId, content: 'Hello everybody' });
    await scene.later(10_000);
    await done(house, channels.sendToChannel, ann, { conversationId, content: `Hello @${bob.username}` });
    await scene.later(10_000);
    const told = await house.ctx.db
      .selectFrom('notifications')
      .select(['recipient_id', 'type'])
      .where('type', '!=', 'room_added')
      .execute();
    expect(told).toEqual([{ recipient_id: bob.memberId, type: 'message_mention' }]);
    await done(house, places.channelSettings, cleo, { conversationId, notifications: 'all' });
    await done(house, channels.sendToChannel, ann, { conversationId, content: 'Hello everybody' });
    await scene.later(10_000);
    const wanted = await house.ctx.db
      .selectFrom('notifications')
      .select(['recipient_id', 'type'])
      .where('type', '=', 'new_message')
      .execute();
    expect(wanted).toEqual([{ recipient_id: cleo.memberId, type: 'new_message' }]);
    await house.ctx.db.deleteFrom('notifications').where('recipient_id', '=', cleo.memberId).execute();
    await done(house, members.channelLeave, bob, { conversationId });
    expect(
      await house.ctx.db.selectFrom('notifications').select('type').where('type', '!=', 'room_added').execute(),
    ).toEqual([]);
  });
});
