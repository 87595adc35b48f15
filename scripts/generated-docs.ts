import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { flagOf, options, variableOf } from '../src/config/options.ts';
import { cliReference } from './cli-reference.ts';

interface Part {
  readonly file: string;
  readonly name: string;
  readonly text: () => string | Promise<string>;
}

const parts: readonly Part[] = [
  { file: 'docs/cli.md', name: 'commands', text: cliReference },
  { file: 'docs/configuration.md', name: 'options', text: optionTable },
];

/** The documents that have parts made from the program, as they should be now, by their paths. */
export async function generatedDocs(): Promise<ReadonlyMap<string, string>> {
  const made = parts.map(async ({ file, name, text }) => {
    const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
    return [path, filled(await readFile(path, 'utf8'), name, await text())] as const;
  });
  return new Map(await Promise.all(made));
}

/** What stands between the two marks is replaced; the rest of a document is written by people. */
function filled(document: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run docs -->`, `<!-- end of ${name} -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`There is no place for ${name}.`);
  return `${document.slice(0, from)}${begin}\n\n${text}\n\n${document.slice(to)}`;
}

function optionTable(): string {
  const rows = Object.values(options).map(({ key, flag, fallback, description }) => [
    `\`${key}\`${flag ? ` (\`--${flagOf(key)}\`)` : ''}`,
    `\`${variableOf(key)}\``,
    fallback ? `\`${fallback}\`` : '',
    description,
  ]);
  const heading = ['in `conclave.toml` (flag)', 'variable', 'default', 'what it sets'];
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
