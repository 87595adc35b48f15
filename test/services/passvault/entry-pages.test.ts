import { describe, expect, it } from 'vitest';
import { bothEngines } from '../../support/stores.ts';
import { openScene, type Scene } from './scene.ts';

/** More than two pages of the store, in the order of their file. */
const COUNT = 530;

async function importMany(scene: Scene): Promise<string[]> {
  const titles = Array.from({ length: COUNT }, (_, at) => `Entry ${at}`);
  const rows = titles.map((title, at) => `${title},https://${at}.example,user,password ${at}`);
  const fileContent = Buffer.from(['name,url,username,password', ...rows].join('\n')).toString('base64');
  await scene.in('POST', '/import', { format: 'browserA_csv', fileContent });
  return titles;
}

describe.each(bothEngines)('the entries of a vault on %s', (engine) => {
  it('come in pages in the order of an import, each that stays once, while others go and come', async () => {
    await using scene = await openScene(engine);
    const titles = await importMany(scene);
    const whole: { id: string; title: string }[] = (await scene.in('GET', '/entries')).entries;
    expect(whole.map(({ title }) => title)).toEqual(titles);
    const gone = new Set<string>();
    const seen: { id: string; title: string }[] = [];
    for (let cursor = ''; ;) {
      const page = await scene.in('GET', `/entries?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.entries);
      if (!page.hasMore) break;
      ({ cursor } = page);
      // What the page ended at, and one that is still to come.
      for (const at of [seen.length - 1, seen.length + 10]) {
        const { id } = whole[at]!;
        gone.add(id);
        await scene.in('DELETE', `/entries/${id}`);
      }
      await scene.login({ title: 'later' });
    }
    const ids = seen.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const imported = seen.filter(({ title }) => title !== 'later').map(({ id }) => id);
    const stayed = whole.map(({ id }) => id).filter((id) => !gone.has(id));
    expect(imported.filter((id) => !gone.has(id))).toEqual(stayed);
    expect(seen.some(({ title }) => title === 'later')).toBe(true);
  });

  it('are found page by page as well', async () => {
    await using scene = await openScene(engine);
    await importMany(scene);
    const { results } = await scene.in('POST', '/search', { query: 'entry 5' });
    const seen: unknown[] = [];
    for (let page: { cursor?: string } = {}; ;) {
      const reply = await scene.in('POST', '/search', { query: 'entry 5', limit: 7, ...page });
      seen.push(...reply.results);
      if (!reply.hasMore) break;
      page = { cursor: reply.cursor };
    }
    expect(results.length).toBeGreaterThan(30);
    expect(seen).toEqual(results);
  });
});
