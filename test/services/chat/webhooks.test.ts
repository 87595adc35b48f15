import { describe, expect, it } from 'vitest';
import { channels } from '../../../src/contract/chat/channels.ts';
import { groups } from '../../../src/contract/chat/groups.ts';
import { members } from '../../../src/contract/chat/members.ts';
import { messages } from '../../../src/contract/chat/messages.ts';
import { moderation } from '../../../src/contract/chat/moderation.ts';
import { webhooks } from '../../../src/contract/chat/webhooks.ts';
import { textOfPayload } from '../../../src/services/chat/webhooks/payload.ts';
import type { ApiAnswer, House } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';
import { channelOf, done, groupOf, refused } from './chat-scene.ts';
import { openClients } from './client-scene.ts';
import { openChat } from './scene.ts';

async function post(
  { house }: { readonly house: House },
  path: string,
  body: string,
  type = 'application/json',
): Promise<ApiAnswer> {
  const headers = { 'content-type': type, 'content-length': `${Buffer.byteLength(body)}` };
  return await house.api('POST', path, { rawBody: body, headers });
}

const said = ({ status, body }: ApiAnswer) => `${status} ${body.error ?? 'success'}`;

describe.each(bothEngines)('webhooks on %s', (engine) => {
  it('write into a group in the name of who made them', async () => {
    await using chat = await openChat(engine);
    const { house, ann, bob } = chat;
    const conversationId = await groupOf(house, [ann, bob]);
    const made = await done(house, webhooks.groupCreateWebhook, ann, { conversationId, name: 'deploys' });
    expect(made).toMatchObject({
      name: 'deploys',
      createdByName: 'ann',
      path: expect.stringMatching(/^\/hooks\/[\w-]{32}$/),
    });
    expect(said(await post(chat, made.path, JSON.stringify({ text: 'Version 2 is out' })))).toBe('200 success');
    const form = new URLSearchParams({
      payload: JSON.stringify({ text: '<https://a.example|Build 7> failed &amp; stopped' }),
    });
    expect(said(await post(chat, made.path, form.toString(), 'application/x-www-form-urlencoded'))).toBe('200 success');
    const [first, second] = (await done(house, messages.groupMessages, bob, { conversationId })).items;
    expect(first).toMatchObject({
      content: 'Version 2 is out',
      webhook: 'deploys',
      senderId: ann.memberId,
      senderName: 'ann',
    });
    expect(second?.content).toBe('Build 7 (https://a.example) failed & stopped');
    // Its maker has not read what it wrote.
    expect((await done(house, groups.showGroup, ann, { conversationId })).unread).toBe(2);
    const { items } = await done(house, webhooks.groupWebhooks, ann, { conversationId });
    expect(items.map((hook) => ({ ...hook, path: made.path }))).toEqual([made]);
    expect(JSON.stringify(items)).not.toContain('/hooks/');
    expect(await refused(house, webhooks.groupWebhooks, bob, { conversationId })).toBe('403 FORBIDDEN');
    const own = { conversationId, name: 'mine' };
    expect(await refused(house, webhooks.groupCreateWebhook, bob, own)).toBe('403 FORBIDDEN');
    house.clock.advance(1);
    await done(house, webhooks.groupRemoveWebhook, ann, { conversationId, webhookId: made.webhookId });
    expect(said(await post(chat, made.path, '{"text":"Late"}'))).toBe('404 WEBHOOK_NOT_FOUND');
    const log = await done(house, moderation.groupLog, ann, { conversationId });
    expect(log.items.map(({ action }) => action)).toEqual(['end_webhook', 'webhook']);
  });

  it('end with the role of their maker, and do not come back with it', async () => {
    await using chat = await openChat(engine);
    const { house, ann, bob } = chat;
    const conversationId = await channelOf(house, [ann, bob]);
    const { path } = await done(house, webhooks.channelCreateWebhook, ann, { conversationId, name: 'deploys' });
    const give = async (from: typeof ann, to: typeof ann) =>
      await done(house, members.channelSetRole, from, { conversationId, memberId: to.memberId, role: 'owner' });
    await give(ann, bob);
    expect(said(await post(chat, path, '{"text":"Late"}'))).toBe('404 WEBHOOK_NOT_FOUND');
    await give(bob, ann);
    expect(said(await post(chat, path, '{"text":"Late"}'))).toBe('404 WEBHOOK_NOT_FOUND');
    const again = await done(house, webhooks.channelCreateWebhook, ann, { conversationId, name: 'deploys' });
    await chat.suspend(ann);
    expect(said(await post(chat, again.path, '{"text":"Suspended"}'))).toBe('404 WEBHOOK_NOT_FOUND');
    expect((await done(house, messages.channelMessages, bob, { conversationId })).items).toEqual([]);
  });

  it('take 10 at once and then one each second, 16 KiB, and text alone', async () => {
    await using chat = await openChat(engine);
    const { house, ann, bob } = chat;
    const conversationId = await groupOf(house, [ann, bob]);
    const { path } = await done(house, webhooks.groupCreateWebhook, ann, { conversationId, name: 'deploys' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => await post(chat, path, `{"text":"${at}"}`)),
    );
    expect(answers.map(said).toSorted()).toEqual([
      ...Array<string>(10).fill('200 success'),
      '429 RATE_LIMITED',
      '429 RATE_LIMITED',
    ]);
    house.clock.advance(1_000);
    expect(said(await post(chat, path, '{"text":"Next"}'))).toBe('200 success');
    expect(said(await post(chat, path, '{"text":"Too soon"}'))).toBe('429 RATE_LIMITED');
    house.clock.advance(60_000);
    for (const body of ['', '{', '[]', '{"text":" "}', '{"text":7}', '{"attachments":"a"}', '{"text":"\\u200b"}'])
      expect(said(await post(chat, path, body)), body).toBe('400 VALIDATION_ERROR');
    expect(said(await post(chat, path, 'text=plain', 'application/x-www-form-urlencoded'))).toBe(
      '400 VALIDATION_ERROR',
    );
    expect(said(await post(chat, path, 'plain', 'text/plain'))).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    expect(said(await post(chat, path, JSON.stringify({ text: 'a'.repeat(20_000) })))).toBe('413 PAYLOAD_TOO_LARGE');
    const long = JSON.stringify({ text: '😀'.repeat(8_001).slice(0, 15_900 / 4) + 'a'.repeat(9_000) });
    expect(said(await post(chat, path, long))).toBe('413 PAYLOAD_TOO_LARGE');
    expect(said(await post(chat, path, JSON.stringify({ text: 'a'.repeat(9_000) })))).toBe('200 success');
    const last = (await done(house, messages.groupMessages, bob, { conversationId })).items.at(-1);
    expect(last?.content).toBe(`${'a'.repeat(7_999)}…`);
    expect(said(await post(chat, `/hooks/${'a'.repeat(32)}`, '{"text":"Unknown"}'))).toBe('404 WEBHOOK_NOT_FOUND');
    expect(JSON.stringify(house.log)).not.toContain(path.slice('/hooks/'.length));
  });

  it('are not for conversations that only members can read, and at most 20', async () => {
    await using scene = await openClients(engine);
    const { house, ann, bob } = scene;
    const garden = await scene.group([ann, bob]);
    const sealed = { conversationId: garden.id, name: 'deploys' };
    expect(await refused(house, webhooks.groupCreateWebhook, ann, sealed)).toBe('409 PROGRAMS_CANNOT_READ');
    const { id: conversationId } = await done(house, channels.createChannel, ann, {
      name: 'builds',
      visibility: 'private',
    });
    for (let at = 0; at < 20; at += 1)
      await done(house, webhooks.channelCreateWebhook, ann, { conversationId, name: `hook ${at}` });
    const more = { conversationId, name: 'one more' };
    expect(await refused(house, webhooks.channelCreateWebhook, ann, more)).toBe('409 WEBHOOKS_FULL');
  });
});

describe('what programs send to webhooks', () => {
  const text = (payload: unknown) => textOfPayload('application/json', JSON.stringify(payload), 8_000);

  it('of Alertmanager has its text in attachments', () => {
    const alert = {
      channel: '#alerts',
      username: 'Alertmanager',
      attachments: [
        {
          title: '[FIRING:1] HighLoad (node1)',
          title_link: 'https://alerts.example/#/alerts?receiver=chat',
          text: 'Load is 12',
          fallback: '[FIRING:1] HighLoad (node1) | https://alerts.example',
          callback_id: '',
          footer: '',
          color: 'danger',
          mrkdwn_in: ['fallback', 'pretext', 'text'],
          fields: [{ title: 'Severity', value: 'page', short: true }],
        },
      ],
    };
    expect(text(alert)).toBe(
      '[FIRING:1] HighLoad (node1) (https://alerts.example/#/alerts?receiver=chat)\nLoad is 12\nSeverity: page',
    );
  });

  it('of Grafana and GitLab has a text and attachments, and of GitHub blocks', () => {
    expect(
      text({
        text: 'ada pushed to <https://git.example/a|main>',
        attachments: [{ text: '* abc: Fix', color: '#345' }],
      }),
    ).toBe('ada pushed to main (https://git.example/a)\n* abc: Fix');
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: 'Release 2' } },
      { type: 'divider' },
      { type: 'section', text: { type: 'mrkdwn', text: 'By *ada*' }, fields: [{ type: 'mrkdwn', text: 'Size: 3' }] },
      {
        type: 'context',
        elements: [
          { type: 'image', image_url: 'https://a.example/x.png', alt_text: 'x' },
          { type: 'mrkdwn', text: 'Now' },
        ],
      },
    ];
    expect(text({ text: 'Fallback', blocks })).toBe('Release 2\nBy *ada*\nSize: 3\nNow');
    expect(text({ attachments: [{ fallback: 'Down' }] })).toBe('Down');
  });

  it('names everybody as Slack does, and keeps control characters out', () => {
    expect(text({ text: '<!channel> <!here|here> a\u0007b &lt;c&gt;\nd' })).toBe('@all @all ab <c>\nd');
    expect(text({ text: '<https://a.example>' })).toBe('https://a.example');
    expect(text({ text: null, attachments: null })).toBeUndefined();
  });
});
