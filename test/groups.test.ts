import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { grouped, ungrouped } from './support/groups.ts';
import { importsOf, readSources, type SourceFile } from './support/source-files.ts';

/** A file of `contract/<service>/` that exports operations. */
interface Group {
  readonly service: string;
  readonly name: string;
  /** names of its operations, as commands and services say them */
  readonly operations: readonly string[];
}

const isOperation = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'id' in value && 'method' in value && 'path' in value;

async function groupOf({ path }: SourceFile): Promise<Group[]> {
  const [, service, name] = /^src\/contract\/([\w-]+)\/([\w-]+)\.ts$/.exec(path) ?? [];
  if (service === undefined || name === undefined) return [];
  const exported = Object.values(
    (await import(new URL(`../${path}`, import.meta.url).href)) as Record<string, unknown>,
  );
  const operations = exported
    .filter((value): value is object => typeof value === 'object' && value !== null)
    .flatMap((value) => Object.entries(value).filter(([, member]) => isOperation(member)))
    .map(([key]) => key);
  return operations.length === 0 ? [] : [{ service, name, operations }];
}

describe('groups of operations', async () => {
  const files = await readSources(['commands', 'src', 'test']);
  const groups = (await Promise.all(files.map(groupOf))).flat();
  const paths = new Set(files.map(({ path }) => path));
  const own = (service: string) => groups.filter((group) => group.service === service);
  const texts = new Map(files.map((file) => [file.path, file]));

  /** What a command has in itself, and in the files of src/cli that it loads. */
  function textsOf(path: string, seen = new Set<string>()): string[] {
    const file = texts.get(path);
    if (file === undefined || seen.has(path)) return [];
    seen.add(path);
    const inner = importsOf(file).filter(({ to }) => to.startsWith('src/cli/'));
    return [file.text, ...inner.flatMap(({ to }) => textsOf(to, seen))];
  }

  /** Commands that stand where those of a group may. */
  function commandsOf(group: string, topics: readonly string[]): string[] {
    const names = new Set([group, group.replace(/s$/, '')]);
    return [...paths].filter((path) =>
      topics.some((topic) => {
        const folder = posix.join('commands', topic);
        if (!path.startsWith(`${folder}/`)) return false;
        const [first = '', ...deeper] = path.slice(folder.length + 1).split('/');
        return deeper.length === 0 || names.has(first);
      }),
    );
  }

  function hasCommand({ name, operations }: Group, topics: readonly string[]): boolean {
    const asked = new RegExp(String.raw`\.(?:${operations.join('|')})\b`);
    return commandsOf(name, topics).some((path) => textsOf(path).some((text) => asked.test(text)));
  }

  it('are of services that have a line', () => {
    const services = [...new Set(groups.map(({ service }) => service))];
    expect(services.toSorted()).toEqual([...Object.keys(grouped), ...Object.keys(ungrouped)].toSorted());
  });

  it('have still to be moved in six services', () => {
    expect(Object.keys(ungrouped)).toHaveLength(6);
    const folders = Object.values(ungrouped).map(({ topic }) => `commands/${topic}/`);
    expect(folders.filter((folder) => ![...paths].some((path) => path.startsWith(folder)))).toEqual([]);
  });

  it.each(Object.keys(grouped))('of %s have the file of their name, in the contract and in the service', (service) => {
    expect(own(service).length).toBeGreaterThan(0);
    const performing = own(service).map(({ name }) => `src/services/${service}/${name}.ts`);
    expect(performing.filter((path) => !paths.has(path))).toEqual([]);
    const implementation = texts.get(`src/services/${service}/implementation.ts`)?.text ?? '';
    const loaded = Array.from(implementation.matchAll(/\bimport\('\.\/([\w-]+)\.ts'\)/g), ([, name]) => name);
    expect(loaded.toSorted()).toEqual(own(service).map(({ name }) => name));
  });

  it.each(Object.entries(grouped))('of %s have a test of their name, or a reason', (service, { withoutTest = {} }) => {
    const without = own(service).filter(({ name }) => {
      const test = `test/services/${service}/${name}`;
      return !paths.has(`${test}.test.ts`) && !paths.has(`${test}.thorough.test.ts`);
    });
    expect(without.map(({ name }) => name)).toEqual(Object.keys(withoutTest));
  });

  it.each(Object.entries(grouped))('of %s have a command, or a reason', (service, { topics, withoutCommand = {} }) => {
    const without = own(service).filter((group) => !hasCommand(group, topics));
    expect(without.map(({ name }) => name)).toEqual(Object.keys(withoutCommand));
  });
});
