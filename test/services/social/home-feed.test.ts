import { describe, expect, it } from 'vitest';
import { readHome } from '../../../src/services/social/feeds/newest.ts';
import { testRandom } from '../../support/seeded.ts';
import { engines } from '../../support/stores.ts';
import { postRow, storePosts } from './filled.ts';
import { openSocial } from './scene.ts';

const EVERYBODY = 0;
const NOBODY = 1_000_000;

describe.each(engines)('the newest posts of followed members on %s', (engine) => {
  it('are the same whether the latest posts of all or those of each member are looked at', async () => {
    await using scene = await openSocial(engine);
    const { house } = scene;
    const join = async (username: string) => await house.register({ username });
    const [reader, ada, bob, dan] = [await join('reader'), await join('ada'), await join('bob'), await join('dan')];
    const people = [reader, ada, bob, dan, await join('eve')];
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
    const seen = new Set([reader, ada, bob].map(({ memberId }) => memberId));
    const expected = rows
      .filter((row) => seen.has(row.author_id) && row.deleted_at === null)
      .map(({ id }) => id)
      .toSorted((one, other) => (one < other ? 1 : -1));
    for (const many of [EVERYBODY, NOBODY]) {
      const read = readHome(house.ctx, reader.memberId, many);
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
