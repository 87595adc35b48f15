import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { grouped, single, ungrouped } from './support/groups.ts';
import { importsOf, readSources, type SourceFile } from './support/source-files.ts';

/** An object of a file of the contract that has operations. */
interface Export {
  readonly path: string;
  /** as others import it */
  readonly name: string;
  readonly operations: Readonly<Record<string, unknown>>;
}

/** A file of `contract/<service>/` that exports operations. */
interface Group {
  readonly service: string;
  readonly name: string;
  readonly operations: ReadonlySet<unknown>;
}

const groupPath = /^src\/contract\/([\w-]+)\/([\w-]+)\.ts$/;

const isOperation = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'id' in value && 'method' in value && 'path' in value;

async function exportsOf({ path }: SourceFile): Promise<Export[]> {
  if (!path.startsWith('src/contract/')) return [];
  const file = (await import(new URL(`../${path}`, import.meta.url).href)) as Record<string, unknown>;
  return Object.entries(file).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    const operations = Object.fromEntries(Object.entries(value).filter(([, member]) => isOperation(member)));
    return Object.keys(operations).length === 0 ? [] : [{ path, name, operations }];
  });
}

function groupsOf(all: readonly Export[]): Group[] {
  return all.flatMap(({ path, operations }) => {
    const [, service, name] = groupPath.exec(path) ?? [];
    if (service === undefined || name === undefined) return [];
    return [{ service, name, operations: new Set(Object.values(operations)) }];
  });
}

describe('groups of operations', async () => {
  const files = await readSources(['commands', 'src', 'test']);
  const all = (await Promise.all(files.map(exportsOf))).flat();
  const groups = groupsOf(all);
  const paths = new Set(files.map(({ path }) => path));
  const own = (service: string) => groups.filter((group) => group.service === service);
  const texts = new Map(files.map((file) => [file.path, file]));

  /** What a file says that it performs: operations of the contract, by the names under which it imports them. */
  function namedIn(file: SourceFile): unknown[] {
    return importsOf(file)
      .flatMap(({ to }) => all.filter(({ path }) => path === to))
      .flatMap(({ name, operations }) =>
        Array.from(
          file.text.matchAll(new RegExp(String.raw`\b${name}\.(\w+)`, 'g')),
          ([, key = '']) => operations[key],
        ),
      );
  }

  /** What a file takes out of src/cli. The kit refreshes sign-ins for all commands, so it doesn't count. */
  function takenBy(file: SourceFile): SourceFile[] {
    return importsOf(file).flatMap(({ to }) =>
      to.startsWith('src/cli/') && !to.startsWith('src/cli/kit/') ? (texts.get(to) ?? []) : [],
    );
  }

  /** A command with that, and with the tables in which that looks up the operations of one of several types. */
  function performedBy(path: string): unknown[] {
    const command = texts.get(path);
    if (command === undefined) return [];
    const shared = takenBy(command);
    const tables = shared.flatMap(takenBy).filter((file) => file.path.endsWith('/operations.ts'));
    return [command, ...shared, ...tables].flatMap(namedIn);
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
    return commandsOf(name, topics).some((path) => performedBy(path).some((asked) => operations.has(asked)));
  }

  it('are all that exports operations, once each; what gathers those of a service has no other', () => {
    const grouping = new Set(groups.map(({ service }) => service));
    const gathers = ({ path }: Export) => grouping.has(/^src\/contract\/([\w-]+)\.ts$/.exec(path)?.[1] ?? '');
    const owners = groups.flatMap(({ operations }) => [...operations]);
    expect(new Set(owners).size).toBe(owners.length);
    expect(new Set(groups.map(({ service, name }) => `${service}/${name}`)).size).toBe(groups.length);
    const owned = new Set(owners);
    const other = all.filter(
      (file) =>
        !(
          Object.values(file.operations).every((one) => owned.has(one)) &&
          (gathers(file) || groupPath.test(file.path))
        ),
    );
    expect(other.map(({ path }) => path)).toEqual(Object.keys(single).map((name) => `src/contract/${name}.ts`));
  });

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
