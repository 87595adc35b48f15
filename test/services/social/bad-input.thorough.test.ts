import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Method } from '../../../src/contract/operation.ts';
import { tableCounts } from '../../../src/platform/store/census.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { openSocial, said, type SocialScene } from './scene.ts';
import { inStage } from '../../support/stage.ts';

const family = '👨‍👩‍👧‍👦';
const many = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

/** Texts of posts, and what is said of them. */
const texts: Readonly<Record<string, readonly [content: unknown, answer: string]>> = {
  'no text': ['', '400 VALIDATION_ERROR'],
  'spaces alone': [' \n\t ', '400 VALIDATION_ERROR'],
  'invisible characters': ['\u3164\u200b\u2060', '400 VALIDATION_ERROR'],
  'invisible characters and spaces': [' \u200b\u3164 ', '400 VALIDATION_ERROR'],
  'an empty Braille pattern': ['\u2800', '400 VALIDATION_ERROR'],
  'a variation selector alone': ['\ufe0f', '400 VALIDATION_ERROR'],
  '281 characters': ['x'.repeat(281), '400 POST_TOO_LONG'],
  '10,001 characters': ['x'.repeat(10_001), '400 POST_TOO_LONG'],
  'a million characters': ['x'.repeat(1_000_000), '400 VALIDATION_ERROR'],
  'a flood of joined emoji': [family.repeat(280), '400 POST_TOO_LONG'],
  'a flood of joiners': [`x${'\u200d'.repeat(9_000)}`, '400 POST_TOO_LONG'],
  'a flood of marks': [`x${'\u0301'.repeat(9_000)}`, '400 POST_TOO_LONG'],
  '10,000 mentions': [many(10_000, (at) => `@m${at}x`), '400 POST_TOO_LONG'],
  '51 mentions': [many(51, (at) => `@a${String(at).padStart(2, '0')}`), '400 TOO_MANY_MENTIONS'],
  '31 hashtags': [many(31, (at) => `#a${at}`), '400 TOO_MANY_HASHTAGS'],
  NUL: ['a\u0000b', '400 VALIDATION_ERROR'],
  'an escape': ['\u001b[2J', '400 VALIDATION_ERROR'],
  'half of a surrogate pair': ['\ud800', '400 VALIDATION_ERROR'],
  'a number': [1, '400 VALIDATION_ERROR'],
  null: [null, '400 VALIDATION_ERROR'],
  'a list': [['x'], '400 VALIDATION_ERROR'],
  nothing: [undefined, '400 VALIDATION_ERROR'],
};

/** What nobody sees, and what turns the sentence around it. */
const unseen = ['\u3164', '\u200b', '\u200b\u2060', ' \u200b\u3164 ', '\u2800', '\u{e0041}'];
const turning = ['\u202e', 'a\u202eb', '\u202eabc', '\u2066a\u2069', 'a\u2067b'];
/** Names and texts whose invisible characters are part of how they are written. */
const written = {
  'a family': family,
  'a flag with tags': '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
  'a heart with a variation selector': '❤\ufe0f',
  'a keycap': '1\ufe0f\u20e3',
  'Persian with a non-joiner': 'می\u200cخواهم',
  'Sinhala with a joiner': 'ශ්\u200dරී',
  'Hebrew with a mark of direction': 'שלום\u200f!',
};

const wrongIds = ['x', '0'.repeat(31), '0'.repeat(33), 'g'.repeat(32), '%00', '..%2f', "1'--"];

const some = <T>(all: readonly T[]): readonly T[] => all.filter((_, at) => at % inStage(3, 3, 1) === 0);

describe.each(engines)('check 26, bad input for the social network on %s', (engine) => {
  let scene: SocialScene;
  let ada: HouseMember;
  let bob: HouseMember;
  let id: string;
  let own: string;
  let report: string;
  let before: unknown;
  beforeAll(async () => {
    scene = await openSocial(engine);
    ada = await scene.house.register({ username: 'ada' });
    bob = await scene.house.register({ username: 'bob' });
    id = await scene.post(ada, 'One');
    own = await scene.post(bob, 'Mine');
    report = (await scene.ask(bob, 'POST', `/posts/${id}/report`, { reason: 'Rude' })).report['_id'];
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  beforeEach(async () => void (before = await stored()));
  afterEach(async () => {
    expect(await stored(), 'nothing was changed').toEqual(before);
    expect(scene.house.log.lines.filter((line) => line['level'] === 'error')).toEqual([]);
  });

  async function stored(): Promise<unknown> {
    const { ctx } = scene.house;
    const rows = await Promise.all([
      ctx.db.selectFrom('social_posts').selectAll().orderBy('id').execute(),
      ctx.db.selectFrom('social_profiles').selectAll().orderBy('member_id').execute(),
      ctx.db.selectFrom('social_reports').selectAll().execute(),
    ]);
    return [await tableCounts(ctx.store), rows];
  }

  async function expectRefused(answer: string, method: Method, path: string, body?: unknown): Promise<void> {
    expect([method, path, said(await scene.call(bob, method, path, body))]).toEqual([method, path, answer]);
  }

  it.each(some(Object.entries(texts)))('in a post, a reply, an edit and a quote: %s', async (_, [content, answer]) => {
    await expectRefused(answer, 'POST', '/posts', { content });
    await expectRefused(answer, 'POST', '/posts', { content, parentPostId: id });
    await expectRefused(answer, 'POST', `/posts/${id}/quote`, { commentary: content });
    await expectRefused(answer, 'PUT', `/posts/${own}`, { content });
  });

  it.each(some(wrongIds))('as the id of a post: %s', async (wrong) => {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/thread'],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/like'],
      ['DELETE', '/like'],
      ['POST', '/repost'],
      ['POST', '/quote'],
      ['POST', '/report'],
      ['POST', '/upvote'],
      ['POST', '/downvote'],
      ['DELETE', '/vote'],
    ] as const) {
      const body = method === 'GET' ? undefined : { content: 'x', commentary: 'x', reason: 'x' };
      const { status, body: answer } = await scene.call(bob, method, `/posts/${wrong}${path}`, body);
      expect([method, path, status]).toEqual([method, path, 400]);
      expect(answer.error.reason).toBe('VALIDATION_ERROR');
    }
    await expectRefused('400 VALIDATION_ERROR', 'POST', '/posts', {
      content: 'x',
      parentPostId: decodeURIComponent(wrong),
    });
  });

  it('as the name of a member', async () => {
    for (const name of ['x', 'a b', 'ada@example.org', 'x'.repeat(33), 'a%00b', '%E2%80%AEada'])
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/follow'],
        ['DELETE', '/follow'],
        ['POST', '/block'],
        ['POST', '/mute'],
        ['GET', '/followers'],
        ['GET', '/feed'],
      ] as const)
        await expectRefused('400 VALIDATION_ERROR', method, `/users/${name}${path}`, method === 'GET' ? undefined : {});
  });

  it('in reports and their reviews', async () => {
    for (const reason of ['', '  ', 'x'.repeat(1001), 'a\u0000', 1, null, undefined])
      await expectRefused('400 VALIDATION_ERROR', 'POST', `/posts/${id}/report`, { reason });
    await expectRefused('400 ALREADY_REPORTED', 'POST', `/posts/${id}/report`, { reason: 'Again' });
    await expectRefused('404 POST_NOT_FOUND', 'POST', `/posts/${'f'.repeat(32)}/report`, { reason: 'x' });
    await expectRefused('404 REPORT_NOT_FOUND', 'POST', `/posts/reports/${report}/review`, { action: 'dismiss' });
    for (const action of ['delete', '', null, 1])
      await expectRefused('400 VALIDATION_ERROR', 'POST', `/posts/reports/${report}/review`, { action });
    await expectRefused('400 VALIDATION_ERROR', 'GET', '/posts/reports?status=open');
  });

  it('twice: what was done already', async () => {
    const twice = await scene.post(ada, 'Two');
    await scene.ask(bob, 'POST', `/posts/${twice}/repost`);
    await scene.follow(bob, ada);
    await scene.ask(bob, 'POST', `/posts/${twice}/like`);
    await scene.ask(bob, 'DELETE', `/posts/${twice}/like`);
    before = await stored();
    await expectRefused('400 NOT_LIKED', 'DELETE', `/posts/${twice}/like`);
    await expectRefused('400 ALREADY_REPOSTED', 'POST', `/posts/${twice}/repost`);
    await expectRefused('400 ALREADY_FOLLOWING', 'POST', '/users/ada/follow', {});
    await expectRefused('400 VALIDATION_ERROR', 'POST', '/users/bob/follow', {});
  });

  it('in lines that others see in sentences', async () => {
    const list = (await scene.ask(bob, 'POST', '/lists', { name: 'Friends' })).list['_id'] as string;
    before = await stored();
    for (const text of [...unseen, ...turning])
      for (const [method, path, body] of [
        ['PUT', '/users/bob', { displayName: text }],
        ['PUT', '/users/bob', { location: text }],
        ['POST', '/posts', { content: 'x', contentWarning: text }],
        ['PUT', `/posts/${own}`, { content: 'x', contentWarning: text }],
        ['POST', '/lists', { name: text }],
        ['PUT', `/lists/${list}`, { name: text }],
        ['POST', '/categories', { name: text }],
      ] as const)
        await expectRefused('400 VALIDATION_ERROR', method, path, body);
    for (const reason of unseen) await expectRefused('400 VALIDATION_ERROR', 'POST', `/posts/${id}/report`, { reason });
    const { body } = await scene.call(bob, 'PUT', '/users/bob', { displayName: 'a\u202eb' });
    expect(body.error.message).toBe('displayName: must not contain characters that change the direction of text');
    const { body: other } = await scene.call(bob, 'POST', '/posts', { content: '\u200b' });
    expect(other.error.message).toBe('content: must have visible characters');
  });

  it.each(Object.entries(written))('but takes %s', async (_, text) => {
    expect(await scene.ask(bob, 'POST', '/posts', { content: text, contentWarning: text })).toMatchObject({
      content: text,
      contentWarning: text,
    });
    expect(await scene.ask(bob, 'PUT', '/users/bob', { displayName: text })).toMatchObject({ displayName: text });
    expect((await scene.ask(bob, 'POST', '/categories', { name: text })).list.name).toBe(text.normalize('NFC'));
    before = await stored();
  });

  it('but takes texts of several lines that turn their direction', async () => {
    const content = '\u2067שלום\u2069 Bob';
    expect(await scene.ask(bob, 'POST', '/posts', { content })).toMatchObject({ content });
    before = await stored();
  });

  it('but takes texts that are just short enough', async () => {
    for (const content of [
      'x'.repeat(280),
      family.repeat(179),
      'é'.repeat(280),
      many(50, (at) => `@a${String(at).padStart(2, '0')}`),
      many(30, (at) => `#a${at}`),
      `${'x'.repeat(270)}\n\n@ada #t`,
    ])
      expect(await scene.ask(bob, 'POST', '/posts', { content })).toMatchObject({ content });
    before = await stored();
  });
});
