import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly resolved?: string; readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >;
}

async function readLock(): Promise<Lock> {
  return JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8')) as Lock;
}

/** npm leaves out what its registry didn't have on the day; `npm ci` then refuses the list where the cache is empty. */
it('lists the packages of every platform', async () => {
  const { packages } = await readLock();
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !placesFor(path, name).some((place) => packages[place])),
  );
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

it('says nothing of where packages came from', async () => {
  const { packages } = await readLock();
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});

/** Where Node looks for a package from inside another, nearest first. */
function placesFor(path: string, name: string): string[] {
  const parents = path
    .split('/node_modules/')
    .map((_, at, all) => all.slice(0, all.length - at).join('/node_modules/'));
  return [...parents.map((parent) => `${parent}/node_modules/${name}`), `node_modules/${name}`];
}
