import { describe, expect, it } from 'vitest';
import { loadMeasure } from '../../../src/cli/kit/display-width.ts';
import { entryItems, matching } from '../../../src/cli/passvault/entries/entry-search.ts';
import type { ListedEntry } from '../../../src/cli/passvault/vault-tables.ts';

const entry = (title: string, more: Partial<ListedEntry> = {}): ListedEntry => ({
  id: title,
  type: 'login',
  title,
  username: '',
  siteUrl: '',
  favorite: false,
  tags: [],
  ...more,
});

const measure = await loadMeasure();

describe('searching while typing', () => {
  const entries = [
    entry('My Git', { favorite: true }),
    entry('GitHub', { username: 'alice', siteUrl: 'https://www.github.com/' }),
    entry('Gitea', { favorite: true }),
    entry('Bank', { tags: ['digital'], username: 'git' }),
    entry('Mail'),
  ];
  const titles = (term: string) => matching(entries, term).map(({ title }) => title);

  it('finds what holds every word, beginnings and favourites first', () => {
    expect(titles('')).toEqual(['My Git', 'Gitea', 'GitHub', 'Bank', 'Mail']);
    expect(titles(' GIT ')).toEqual(['Gitea', 'GitHub', 'My Git', 'Bank']);
    expect(titles('git digital')).toEqual(['Bank']);
    expect(titles('alice hub')).toEqual(['GitHub']);
    expect(titles('nothing')).toEqual([]);
  });

  it('takes ten thousand entries', () => {
    const many = Array.from({ length: 10_000 }, (_, at) =>
      entry(`Entry ${at}`, { username: `user${at}@example.org`, tags: ['a', 'b'] }),
    );
    expect(matching(many, 'user99')).toHaveLength(111);
    expect(matching(many, '')).toHaveLength(200);
  });

  it('draws lines that fit on the terminal, whatever they hold', () => {
    const long = [
      entry('密码'.repeat(40), { username: 'x'.repeat(90) }),
      entry('evil\u001b[2J', { username: 'a\u202eb', siteUrl: 'https://x/\u0007' }),
      ...entries,
    ];
    for (const columns of [40, 80, 200]) {
      const items = entryItems(long, columns, measure);
      for (const { name, description = '' } of items) {
        expect(measure(name)).toBeLessThanOrEqual(columns - 2);
        expect(measure(description)).toBeLessThanOrEqual(columns - 2);
        // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
        expect(name + description).not.toMatch(/[\u001b\u0007\u202e]/);
      }
    }
    expect(entryItems(entries, 80, measure)[1]).toMatchObject({
      name: expect.stringMatching(/^GitHub {2,}alice$/),
      description: 'github.com',
    });
  });
});
