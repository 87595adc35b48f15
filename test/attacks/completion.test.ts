import { access, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Interfaces } from '@oclif/core';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript, shells } from '../../src/cli/completion/script.ts';
import { allCommands, flagsOfCommand } from '../cli/all-commands.ts';

/** Whether a program is here: shells are driven at a real terminal, which util-linux's `script` makes. */
async function has(program: string, said: RegExp): Promise<boolean> {
  const { exitCode, stdout } = await execa(program, ['--version'], { reject: false });
  return exitCode === 0 && said.test(stdout);
}
const terminals = await has('script', /util-linux/);
const installed: Record<string, boolean> = {
  bash: terminals,
  zsh: terminals && (await has('zsh', /zsh/)),
  fish: terminals && (await has('fish', /fish/)),
};

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
  for (const hung = Date.now() + 60_000; Date.now() < hung; await sleep(10)) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.endsWith('\n\0')) return text;
  }
  throw new Error(`Nothing was called. The terminal says:\n${seen()}`);
}

describe('names that a server made up, at Tab', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-attack-completion-'));
    const named = (items: Record<string, object>) =>
      Object.fromEntries(Object.entries(items).map(([name, item]) => [name, { ...item, name }]));
    const commands = [...(await allCommands())].map(([words, command]) => ({
      id: words.replaceAll(' ', ':'),
      summary: command.summary,
      hidden: command.hidden,
      flags: named(flagsOfCommand(command)),
      args: named(command.args),
    }));
    const config = { commands, topics: [] } as unknown as Interfaces.Config;
    for (const shell of shells) await writeFile(join(folder, shell), completionScript(shell, config));
    // Whoever lists names gets what the server said, and any other call is written down, a NUL behind each word.
    const program = `#!/bin/sh
case "$1 $2 $3" in
"vault complete "* | "admin members list" | "admin nodes list" | "admin nodes pending") exec cat '${folder}/names' ;;
esac
printf '%s\\0' "$@" > '${folder}/writing'
printf '\\n\\0' >> '${folder}/writing'
mv '${folder}/writing' '${folder}/called'
`;
    await writeFile(join(folder, 'conclave'), program);
    await chmod(join(folder, 'conclave'), 0o755);
  });
  afterAll(async () => await rm(folder, { recursive: true }));

  const isHit = async () =>
    await access(join(folder, 'hit')).then(
      () => true,
      () => false,
    );

  describe.each(shells)('in %s', (shell) => {
    it.skipIf(!installed[shell])('arrive as one word, and nothing of them is run', { timeout: 600_000 }, async () => {
      const [file, text, line] = (starts[shell] ?? (() => ['', '', '']))(folder);
      await writeFile(join(folder, file), text);
      const terminal = execa('script', ['-qec', line, '/dev/null'], {
        cwd: folder,
        env: {
          PATH: `${folder}:${process.env['PATH']}`,
          HOME: folder,
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
            await writeFile(join(folder, 'names'), `${said(name)}\n`);
            await rm(join(folder, 'called'), { force: true });
            // What begins a quote is closed by the shell once the word is whole.
            terminal.stdin.write(`conclave ${place}\t\r`);
            const words = (await awaited(join(folder, 'called'), () => seen)).split('\0').slice(0, -2);
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
    });
  });
});
