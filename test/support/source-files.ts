import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SourceFile {
  /** From the project's folder, with slashes: src/platform/store/open.ts */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  /** The path of a file of the project, or the name of a package ('node:fs' counts as the package 'node:'). */
  readonly to: string;
  readonly inside: boolean;
  readonly kind: 'static' | 'type' | 'dynamic';
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The project's own code: all TypeScript and JavaScript of these folders, but for recorded vectors. */
export async function readSources(folders = ['bin', 'commands', 'scripts', 'src', 'test']): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = posix.join(dirname(entry.parentPath) === '.' ? '' : entry.parentPath.slice(root.length), entry.name);
      if (!entry.isFile() || !/\.(?:ts|js|mjs)$/.test(path) || path.startsWith('test/vectors/')) continue;
      files.push({ path, text: await readFile(join(root, path), 'utf8') });
    }
  }
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** A statement begins its line, so that text about imports (comments, templates) isn't taken for one. */
const statement = /^(?:import|export)\b(?<type>\s+type\b)?(?:[^'"`;]*?\bfrom)?\s*['"](?<target>[^'"]+)['"]/gm;
const call = /^(?!\s*(?:\/\/|\*)).*\bimport\(\s*['"](?<target>[^'"]+)['"]/gm;

export function importsOf({ path, text }: SourceFile): Import[] {
  const found: Import[] = [];
  const add = (target: string, kind: Import['kind']): void => {
    const inside = target.startsWith('.');
    found.push({ from: path, to: inside ? posix.join(dirname(path), target) : packageOf(target), inside, kind });
  };
  for (const { groups } of text.matchAll(statement)) add(groups!['target']!, groups!['type'] ? 'type' : 'static');
  for (const { groups } of text.matchAll(call)) add(groups!['target']!, 'dynamic');
  return found;
}

function packageOf(target: string): string {
  if (target.startsWith('node:')) return 'node:';
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}
