import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneFile } from '../../../base/one-file.ts';

/** A document of docs/, as the program includes it. */
export interface Guide {
  /** the name of its file, without `.md` */
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
}

/** For developers of the program, not for its users. It links to documents that aren't served. */
const forDevelopers = new Set(['architecture.md']);

/** The guides by their names, in alphabetical order. */
export async function readGuides(): Promise<ReadonlyMap<string, Guide>> {
  const { names, read } = await docsOfProgram();
  const files = names.filter((file) => file.endsWith('.md') && !forDevelopers.has(file)).sort();
  const guides = files.map(async (file) => {
    const markdown = await read(file);
    const name = file.replace(/\.md$/, '');
    return [name, { name, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, markdown }] as const;
  });
  return new Map(await Promise.all(guides));
}

interface Docs {
  readonly names: readonly string[];
  readonly read: (name: string) => Promise<string> | string;
}

async function docsOfProgram(): Promise<Docs> {
  const file = oneFile();
  if (file !== undefined) {
    const names = file.names().filter((name) => name.startsWith('docs/'));
    return { names: names.map((name) => name.slice('docs/'.length)), read: (name) => file.readText(`docs/${name}`) };
  }
  const folder = folderOfDocs();
  if (folder === undefined) return { names: [], read: () => '' };
  return { names: await readdir(folder), read: async (name) => await readFile(join(folder, name), 'utf8') };
}

/** Searches the folder of the program upwards, because the depth of this code below it depends on the build. */
function folderOfDocs(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const docs = join(folder, 'docs');
    if (existsSync(join(docs, 'cli.md'))) return docs;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}
