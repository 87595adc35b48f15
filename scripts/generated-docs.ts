import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { flagOf, options, variableOf } from '../src/config/options.ts';
import { latestVersion } from '../src/platform/store/migrations.ts';

/** What is made anew in which document. */
const parts: Readonly<Record<string, (text: string) => string>> = {
  'README.md': (text) => text.replaceAll(/^(Store +SQLite file, .*, schema )\d+$/gm, `$1${latestVersion()}`),
  'docs/configuration.md': (text) => filled(text, 'options', optionTable()),
};

/** The documents that have parts made from the program, as they should be now, by their paths. */
export async function generatedDocs(): Promise<ReadonlyMap<string, string>> {
  const made = Object.entries(parts).map(async ([file, make]) => {
    const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
    return [path, make(await readFile(path, 'utf8'))] as const;
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
  const rows = Object.values(options).map(({ key, flag, fallback, description, reloads }) => [
    `\`${key}\`${flag ? ` (\`--${flagOf(key)}\`)` : ''}`,
    `\`${variableOf(key)}\``,
    fallback ? `\`${fallback}\`` : '',
    description,
    reloads ? 'reloaded' : '',
  ]);
  const heading = ['in `conclave.toml` (flag)', 'variable', 'default', 'what it sets', 'at SIGHUP'];
  return [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
