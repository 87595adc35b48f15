import { describe, expect, it } from 'vitest';
import { readHome, readList } from '../../../src/services/social/feeds/newest.ts';
import { testRandom } from '../../support/seeded.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { engines } from '../../support/stores.ts';
import { postRow, storePosts } from './filled.ts';
import { openSocial } from './scene.ts';

const EVERYBODY = 0;
const NOBODY = 1_000_000;

describe.each(engines)('the newest posts of followed and of listed members on %s', (engine) => {
  it('are the same whether the latest posts of all or those of each member are looked at', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const join = async (username: string) => await house.register({ username });
    const [reader, ada, bob, dan] = [await join('reader'), await join('ada'), await join('bob'), await join('dan')];
    const eve = await join('eve');
    const people = [reader, ada, bob, dan, eve];
    for (const one of [ada, bob]) await scene.follow(reader, one);
    // A request is no follow yet.
    await scene.protect(dan);
    await scene.ask(reader, 'POST', '/users/dan/follow');
    const random = testRandom();
    const now = house.clock.now();
    const rows = Array.from({ length: 700 }, (_, at) =>
      postRow({
        author_id: people[Math.floor(random() * people.length)]?.memberId ?? '',
        created_at: now - at * 1_000 - Math.floor(random() * 3),
        deleted_at: random() < 0.1 ? now : null,
        kind: random() < 0.2 ? 'quote' : 'original',
      }),
    );
    await storePosts(house, rows);
    const { _id: list } = (await scene.ask(reader, 'POST', '/lists', { name: 'Some' })).list;
    const userIds = [ada, dan, eve].map(({ memberId }) => memberId);
    await scene.ask(reader, 'POST', `/lists/${list}/members`, { userIds });
    const by = (...authors: readonly HouseMember[]) =>
      rows
        .filter((row) => authors.some(({ memberId }) => memberId === row.author_id) && row.deleted_at === null)
        .map(({ id }) => id)
        .toSorted((one, other) => (one < other ? 1 : -1));
    for (const [read, expected] of [EVERYBODY, NOBODY].flatMap((many) => [
      [readHome(house.ctx, reader.memberId, many), by(reader, ada, bob)] as const,
      [readList(house.ctx, reader.memberId, list, many), by(ada, eve)] as const,
    ])) {
      const found: string[] = [];
      for (;;) {
        const values = found.length === 0 ? [] : [found.at(-1) ?? ''];
        const page = await read({ values, asOf: now }, 1 + Math.floor(random() * 60));
        if (page.length === 0) break;
        found.push(...page.map(({ id }) => id));
      }
      expect(found).toEqual(expected);
    }
  });
});
