import { readFile, writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedShells, writeCompletionScripts, type CompletionScripts } from '../../support/completion-scripts.ts';

const installed = await installedShells();
const needsProgram = { tags: 'needs-program' };

describe('completion of vaults and entries', () => {
  const names = [
    'My Work/',
    'Home/',
    "O'Brien/",
    'My Work/a b',
    'My Work/$(x) * "q" `t` \\',
    "O'Brien/it's",
    'Home/a:b',
    'Home/a:c',
    'Home/me@x=y',
  ];
  let scripts: CompletionScripts;
  beforeAll(async () => {
    // Says what it was asked, and answers the names that begin so, with all that a shell acts on.
    scripts = await writeCompletionScripts(
      (folder) => `echo "$*" >> ${folder}/asked
while IFS= read -r name; do
  case "$name" in "$4"*) ;; *) continue ;; esac
  case "$4|$name" in */*'|'*/) ;; */*'|'*) printf '%s\\n' "$name" ;; *'|'*/) printf '%s\\n' "$name" ;; esac
done < ${folder}/names
`,
    );
    await writeFile(scripts.pathOf('names'), names.map((name) => `${name}\n`).join(''));
  });
  afterAll(async () => await scripts[Symbol.asyncDispose]());

  const run = async (shell: string, argv: readonly string[]) =>
    (await execa(shell, argv, { env: scripts.env })).stdout.split('\n');
  const asked = async () => (await readFile(scripts.pathOf('asked'), 'utf8')).trimEnd().split('\n').at(-1);

  describe('in bash', () => {
    /** As bash has it: the line, and its words, which it breaks at more than spaces. */
    const complete = async (line: string, words = line.split(' ')) => {
      const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
      const script = `source ${scripts.pathOf('bash')}; COMP_LINE=${quoted(line)}; COMP_POINT=${line.length}
COMP_WORDS=(${words.map(quoted).join(' ')}); COMP_CWORD=${words.length - 1}; _conclave; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return await run('bash', ['-c', script]);
    };
    const get = async (word: string, last = word) =>
      await complete(`conclave vault get ${word}`, ['conclave', 'vault', 'get', last]);

    it('lists the commands of the topic, without those that nobody types', async () => {
      const commands = await complete('conclave vault ');
      expect(commands).toEqual(expect.arrayContaining(['list', 'get', 'run', 'emergency', 'git-credential']));
      expect(commands).not.toContain('complete');
      expect(commands).not.toContain('clear-clipboard');
    });

    it('names vaults', async () => {
      expect(await complete('conclave vault open ')).toEqual(['My\\ Work', 'Home', "O\\'Brien"]);
      expect(await complete('conclave vault find --vault ')).toEqual(['My\\ Work', 'Home', "O\\'Brien"]);
    });

    it('names entries behind their vaults, fit for the shell', async () => {
      expect(await get('')).toEqual(['My\\ Work/', 'Home/', "O\\'Brien/"]);
      const dangerous = '\\$\\(x\\)\\ \\*\\ \\"q\\"\\ \\`t\\`\\ \\\\';
      expect(await get('My\\ Work/')).toEqual(['My\\ Work/a\\ b', `My\\ Work/${dangerous}`]);
      expect(await asked()).toBe('vault complete -- My Work/');
      expect(await get("O\\'Brien/i")).toEqual(["O\\'Brien/it\\'s"]);
    });

    it('goes on within quotes', async () => {
      expect(await get('"My Work/a', '"My')).toEqual(['My Work/a b']);
      expect(await get('"My Work/\\$', '"My')).toEqual(['My Work/\\$(x) * \\"q\\" \\`t\\` \\\\']);
      expect(await get("'My Work/$", "'My")).toEqual(['My Work/$(x) * "q" `t` \\']);
      expect(await get('"O\'B')).toEqual(["O'Brien/"]);
      expect(await get("'O")).toEqual(["O'\\''Brien/"]);
      expect(await get('"My Work"/a', '"My')).toEqual(['My\\ Work/a\\ b']);
    });

    it('gives what follows a colon, an equals sign or an @ alone: words end there', async () => {
      expect(await get('Home/a:', ':')).toEqual(['b', 'c']);
      expect(await get('Home/a:c', 'c')).toEqual(['c']);
      expect(await get('Home/me@x', 'x')).toEqual(['x=y']);
      expect(await get('"Home/a:c')).toEqual(['Home/a:c']);
    });
  });

  describe('in zsh', () => {
    /** What zsh's completion system gives a function, and takes from it; `quote` is the one that is open. */
    const complete = async (words: string, prefix: string, quote = '') => {
      const system = `zmodload zsh/parameter; typeset -A compstate=(quote ${quote === '' ? "''" : `\\${quote}`})
compdef() { :; }; compadd() { local -a plain; while [[ "$1" != -a ]]; do plain+="$1"; shift; done; print -rl -- "\${(@P)2/%/|$plain}"; }; _describe() { :; }; _files() { :; }
source ${scripts.pathOf('zsh')}; PREFIX="$1"; words=(conclave ${words} "$1"); CURRENT=$#words; _conclave; true`;
      return await run('zsh', ['-fc', system, 'zsh', prefix]);
    };

    it.skipIf(!installed.has('zsh'))('names vaults and entries', needsProgram, async () => {
      const insideVaults = ['My Work/|-S ', 'Home/|-S ', "O'Brien/|-S "];
      expect(await complete('vault get', '')).toEqual(insideVaults);
      expect(await complete('vault open', '')).toEqual(['My Work|', 'Home|', "O'Brien|"]);
      expect(await complete('vault find --vault', 'H')).toEqual(['Home|']);
      expect(await complete('vault get', 'My\\ Work/')).toEqual(['My Work/a b|', 'My Work/$(x) * "q" `t` \\|']);
      expect(await asked()).toBe('vault complete -- My Work/');
      expect(await complete('vault get', 'My Work/a', '"')).toEqual(['My Work/a b|']);
      expect(await complete('vault get', "O'Brien/", '"')).toEqual(["O'Brien/it's|"]);
    });
  });

  describe('in fish', () => {
    it.skipIf(!installed.has('fish'))('names vaults and entries', needsProgram, async () => {
      const complete = async (line: string) => {
        const script = 'source $argv[1]; complete -C $argv[2] | string replace -r "\\t.*" ""; true';
        return await run('fish', ['-c', script, scripts.pathOf('fish'), line]);
      };
      expect(await complete('conclave vault get ')).toEqual(['Home/', 'My Work/', "O'Brien/"]);
      expect(await complete('conclave vault open H')).toEqual(['Home']);
      expect(await complete('conclave vault find --vault H')).toEqual(['Home']);
      expect(await complete('conclave vault find --vault=H')).toEqual(['--vault=Home']);
      expect(await complete('conclave vault get My\\ Work/a')).toEqual(['My Work/a b']);
      expect(await asked()).toBe('vault complete -- My Work/a');
      expect(await complete('conclave vault get "My Work/a')).toEqual(['My Work/a b']);
      expect(await complete("conclave vault get O\\'Brien/")).toEqual(["O'Brien/it's"]);
    });
  });

  it('asks for what is typed without its quotes, in the text of every script', async () => {
    const script = async (shell: string) => await readFile(scripts.pathOf(shell), 'utf8');
    expect(await script('zsh')).toContain('conclave vault complete -- "$typed"');
    expect(await script('bash')).toContain('conclave vault complete -- "$typed"');
    const fish = await script('fish');
    expect(fish).toContain(
      `-n '__conclave_at "vault get"' -a '(__conclave_names conclave vault complete -- (__conclave_typed))'`,
    );
    expect(fish).toContain('string unescape -- "$word"');
  });
});
