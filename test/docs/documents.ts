import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Block {
  readonly language: string;
  readonly text: string;
}

export interface Document {
  /** from the root of the project */
  readonly path: string;
  readonly text: string;
  /** the text without its blocks of code */
  readonly prose: string;
  readonly blocks: readonly Block[];
  /** what stands between backticks in the prose */
  readonly spans: readonly string[];
}

/** Some stand in a list, and are indented as its items are. */
const fenced = /^( *)```(\w*)\n(.*?)^ *```$/gms;

export function parseDocument(path: string, text: string): Document {
  const blocks = [...text.matchAll(fenced)].map(([, indent = '', language = '', code = '']) => ({
    language,
    text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
  const prose = text.replaceAll(fenced, '');
  return { path, text, prose, blocks, spans: [...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span) };
}

/** The page of commands, which the build writes: see commands-page.ts. */
export const commandsPath = 'docs/commands.md';

/** README.md, CONTRIBUTING.md and all of docs/ that is written by hand. */
export async function readDocuments(): Promise<readonly Document[]> {
  const names = (await readdir(`${root}/docs`, { recursive: true })).filter((name) => name.endsWith('.md'));
  const guides = names.map((name) => `docs/${name}`).filter((path) => path !== commandsPath);
  const paths = ['README.md', 'CONTRIBUTING.md', ...guides.sort()];
  return await Promise.all(paths.map(async (path) => parseDocument(path, await readFile(`${root}/${path}`, 'utf8'))));
}

/** The names under which GitHub, and everybody after it, finds headings. */
export function anchorsOf({ prose }: Document): string[] {
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What is typed in a block: all of a script, and of a session at a terminal the lines behind `$`, joined where they go on. */
export function typedIn({ language, text }: Block): string[] {
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n');
  if (language === 'dockerfile')
    return lines.map((line) => line.replace(/^CMD .*"(.*)"\]$/, '$1').replace(/^RUN /, ''));
  if (['sh', 'crontab', 'ini'].includes(language)) return lines;
  return language === '' ? lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)) : [];
}
