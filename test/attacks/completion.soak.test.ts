import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shells } from '../../src/cli/kit/completion/script.ts';
import { installedShells, writeCompletionScripts, type CompletionScripts } from '../support/completion-scripts.ts';
import { eventually } from '../support/eventually.ts';

/** Shells are driven at a real terminal, which util-linux's `script` makes. */
const terminals = await execa('script', ['--version'], { reject: false });
const isTerminal = terminals.exitCode === 0 && terminals.stdout.includes('util-linux');
const installed = isTerminal ? await installedShells() : new Set<string>();

/** What a server can call things so that a shell would do something about it. Each would leave a file `hit` behind, or fall apart. */
const hostile = [
  '$(touch hit)',
  '`touch hit`',
  '"; touch hit; "',
  "'; touch hit; '",
  'a; touch hit',
  'a && touch hit & touch hit | touch hit > hit',
  '<(touch hit)',
  '=(touch hit)',
  '(touch hit)',
  '${x:=$(touch hit)}',
  '$((x[$(touch hit)]))',
  'x[$(touch hit)]',
  '*',
  '?',
  '[a-z]*',
  '{a,b}',
  '~',
  '~root',
  '=ls',
  '!!',
  '!$',
  'a!b',
  '#comment',
  '$HOME',
  '$IFS',
  '^a^b',
  'back\\slash',
  'ends with \\',
  '"double"',
  "'single'",
  'a  b',
  'x=~',
  'a:~',
  '%d%n',
  'né',
];

/** All of it in one, and what means something at one end of a word alone: for the places that complete as another one does. */
const shortest = [hostile.join(' '), '~root', '=ls', '!!', '#comment', '*', '"double"', "'single'", 'ends with \\'];

/** Where names come from what a server says. */
const places = [
  ['vault get ', (name: string) => `Work/${name}`, shortest],
  ['vault get "', (name: string) => `Work/${name}`, shortest],
  ["vault get '", (name: string) => `Work/${name}`, shortest],
  ['vault open ', (name: string) => `${name}/`, shortest],
  ['vault find --vault ', (name: string) => `${name}/`, shortest],
  ['admin members show ', (name: string) => name, hostile],
  ['admin members show "', (name: string) => name, hostile],
  ["admin members show '", (name: string) => name, hostile],
  ['admin nodes remove ', (name: string) => name, shortest],
  ['admin nodes approve ', (name: string) => name, shortest],
  ['mail send --to ', (name: string) => name, shortest],
  ['chat send ', (name: string) => name, shortest],
] as const;

/** A name with a slash is one of a vault, which opens into its entries. */
const wordOf = (said: string) => said.replace(/\/$/, '');

const starts: Record<string, (folder: string) => readonly [file: string, text: string, line: string]> = {
  bash: (folder) => [
    'bashrc',
    `PS1='> '\nunset HISTFILE\nset -H\nbind 'set enable-bracketed-paste off'\nsource '${folder}/bash'\n`,
    `bash --noprofile --rcfile '${folder}/bashrc' -i`,
  ],
  zsh: (folder) => [
    '.zshrc',
    `PS1='> '\nunset HISTFILE\nunset zle_bracketed_paste\nautoload -U compinit\ncompinit -u -D\nsource '${folder}/zsh'\n`,
    'zsh -i',
  ],
  fish: (folder) => [
    'config',
    `set -g fish_greeting\nset -g fish_autosuggestion_enabled 0\nsource '${folder}/fish'\n`,
    `fish --private --no-config -i -C "source '${folder}/config'"`,
  ],
};

/** The file's text, once it is there and whole. */
async function awaited(path: string, seen: () => string): Promise<string> {
  return await eventually(async () => {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (!text.endsWith('\n\0')) throw new Error(`Nothing was called. The terminal says:\n${seen()}`);
    return text;
  });
}

describe('names that a server made up, at Tab', () => {
  let scripts: CompletionScripts;
  beforeAll(async () => {
    // Whoever lists names gets what the server said, and any other call is written down, a NUL behind each word.
    scripts = await writeCompletionScripts(
      (folder) => `case "$1 $2 $3" in
"vault complete "* | "contacts complete "* | "admin members list" | "admin nodes list" | "admin nodes pending") exec cat '${folder}/names' ;;
esac
printf '%s\\0' "$@" > '${folder}/writing'
printf '\\n\\0' >> '${folder}/writing'
mv '${folder}/writing' '${folder}/called'
`,
    );
  });
  afterAll(async () => await scripts[Symbol.asyncDispose]());

  const isHit = async () =>
    await access(scripts.pathOf('hit')).then(
      () => true,
      () => false,
    );

  describe.each(shells)('in %s', (shell) => {
    it.skipIf(!installed.has(shell))(
      'arrive as one word, and nothing of them is run',
      { tags: 'needs-program', timeout: 600_000 },
      async () => {
        const { folder, pathOf, env } = scripts;
        const [file, text, line] = (starts[shell] ?? (() => ['', '', '']))(folder);
        await writeFile(pathOf(file), text);
        const terminal = execa('script', ['-qec', line, '/dev/null'], {
          cwd: folder,
          env: {
            ...env,
            ZDOTDIR: folder,
            XDG_CONFIG_HOME: folder,
            XDG_DATA_HOME: folder,
            TERM: 'xterm',
            LC_ALL: 'C.UTF-8',
            SHELL: '/bin/sh',
          },
          extendEnv: false,
          reject: false,
          buffer: false,
        });
        let seen = '';
        terminal.stdout.on('data', (chunk: Buffer) => (seen = (seen + chunk.toString()).slice(-4000)));
        try {
          const found: [place: string, name: string, words: string[]][] = [];
          const expected: typeof found = [];
          for (const [place, said, names] of places) {
            for (const name of names) {
              await writeFile(pathOf('names'), `${said(name)}\n`);
              await rm(pathOf('called'), { force: true });
              // What begins a quote is closed by the shell once the word is whole.
              terminal.stdin.write(`conclave ${place}\t\r`);
              const words = (await awaited(pathOf('called'), () => seen)).split('\0').slice(0, -2);
              found.push([place, name, words]);
              // fish would leave a ~ as it is, so the name isn't offered.
              const isLeftOut = shell === 'fish' && place.endsWith(' ') && said(name).startsWith('~');
              const typed = place.replace(/["']$/, '').trim().split(' ');
              expected.push([place, name, isLeftOut ? typed : [...typed, wordOf(said(name))]]);
            }
          }
          expect(found, seen).toEqual(expected);
          expect(await isHit()).toBe(false);
        } finally {
          terminal.kill('SIGKILL');
          await terminal;
        }
      },
    );
  });
});
