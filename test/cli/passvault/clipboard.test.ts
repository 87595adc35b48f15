import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Terminal } from '../../../src/cli/kit/terminal.ts';
import { clipboardTools, copyText, clipboardSequence } from '../../../src/cli/passvault/clipboard/clipboard.ts';
import { copySecret } from '../../../src/cli/passvault/clipboard/copy-secret.ts';
import { clearingOf, clearLater, launchClearing } from '../../../src/cli/passvault/clipboard/clipboard-clearing.ts';
import { launcher, program as theProgram } from '../../support/program.ts';

const names = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = 'linux') =>
  clipboardTools(env, platform).map(({ name }) => name);

describe('programs for the clipboard', () => {
  it('are those of the desktop that somebody sits at', () => {
    expect(names({ WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' })).toEqual(['wl-copy', 'xclip', 'xsel']);
    expect(names({ DISPLAY: ':0' })).toEqual(['xclip', 'xsel']);
    expect(names({ WSL_DISTRO_NAME: 'Debian' })).toEqual(['clip.exe']);
    expect(names({}, 'darwin')).toEqual(['pbcopy']);
    expect(names({}, 'win32')).toEqual(['clip.exe']);
    expect(names({})).toEqual([]);
    expect(names({ DISPLAY: ':10', SSH_CONNECTION: '1.2.3.4 5 6.7.8.9 22' })).toEqual([]);
  });
});

describe('copying', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'conclave-clipboard-'));
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  const program = async (name: string, script: string) => {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  };
  /** A clipboard that is a file, and writes down with which arguments it was called. */
  const fakeXclip = () =>
    program(
      'xclip',
      `echo "$@" >> ${folder}/calls\ncase "$*" in *-in) /bin/cat > ${folder}/board ;; *) /bin/cat ${folder}/board ;; esac`,
    );
  const terminalOf = (env: NodeJS.ProcessEnv, isTTY = false) => {
    const out = { text: '' };
    const stream = Object.assign(
      new Writable({ write: (chunk: Buffer, _, done) => ((out.text += chunk.toString()), done()) }),
      { isTTY },
    );
    const terminal: Terminal = {
      stdin: new PassThrough(),
      stdout: stream,
      stderr: stream,
      env: { PATH: folder, ...env },
    };
    return { terminal, out };
  };

  it('feeds the first program that works, by its standard input', async () => {
    await fakeXclip();
    await program('wl-copy', 'exit 1');
    const { terminal, out } = terminalOf({ DISPLAY: ':0', WAYLAND_DISPLAY: 'x' });
    expect(await copyText(terminal, 'hunter2', 'linux')).toMatchObject({ name: 'xclip' });
    expect(await readFile(join(folder, 'board'), 'utf8')).toBe('hunter2');
    expect(await readFile(join(folder, 'calls'), 'utf8')).not.toContain('hunter2');
    expect(out.text).toBe('');
  });

  it('asks the terminal over SSH, also through tmux and screen', async () => {
    const { terminal, out } = terminalOf({ SSH_TTY: '/dev/pts/1', DISPLAY: ':0' }, true);
    expect(await copyText(terminal, 'päss', 'linux')).toBeUndefined();
    expect(out.text).toBe(`\u001b]52;c;${Buffer.from('päss').toString('base64')}\u0007`);
    expect(clipboardSequence('eHg=', { TMUX: '/tmp/tmux' })).toBe(
      '\u001bPtmux;\u001b\u001b]52;c;eHg=\u0007\u001b\\\u001b]52;c;eHg=\u0007',
    );
    const parts = clipboardSequence('A'.repeat(1500), { STY: '1' }).split('\u001b\\');
    expect(parts.map((part) => part.length <= 768)).not.toContain(false);
    expect(parts.map((part) => part.replace('\u001bP', '')).join('')).toContain('A'.repeat(1500));
  });

  it('says so where there is no clipboard', async () => {
    const { terminal } = terminalOf({});
    await expect(copyText(terminal, 'x', 'linux')).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'CLIPBOARD_UNAVAILABLE',
    });
  });

  it('leaves alone for good what is not to be cleared', async () => {
    await fakeXclip();
    const { terminal } = terminalOf({ DISPLAY: ':0' });
    const copied = await copySecret(terminal, 'the password', 'hunter2', 0);
    expect(copied).toEqual({ certain: true, clearAfterSeconds: 0, said: 'Copied the password.' });
    expect(await readFile(join(folder, 'board'), 'utf8')).toBe('hunter2');
    expect(await readFile(join(folder, 'calls'), 'utf8')).toBe('-selection clipboard -in\n');
  });

  it('promises nothing of a terminal, which says nothing', async () => {
    const { terminal } = terminalOf({ SSH_TTY: '/dev/pts/1' }, true);
    const copied = await copySecret(terminal, 'the password', 'hunter2', 45);
    expect(copied).toEqual({
      certain: false,
      clearAfterSeconds: 0,
      said: 'Sent the password to the clipboard of the terminal. Whether that worked is unknown: paste to check. Clear it yourself.',
    });
  });

  it('has what it copied cleared, by the program that runs', async () => {
    await fakeXclip();
    const { terminal } = terminalOf({ DISPLAY: ':0' });
    const [, running] = process.argv;
    process.argv[1] = launcher;
    try {
      const copied = await copySecret(terminal, 'the password', 'hunter2', 1);
      const said = 'Copied the password. The clipboard is cleared in 1 s.';
      expect(copied).toEqual({ certain: true, clearAfterSeconds: 1, said });
    } finally {
      process.argv[1] = running ?? '';
    }
    await expect.poll(async () => await readFile(join(folder, 'board'), 'utf8'), { interval: 100 }).toBe('');
  });

  it('has a process of its own clear it, which outlives this one', async () => {
    await fakeXclip();
    const { terminal } = terminalOf({ DISPLAY: ':0', CONCLAVE_MASTER_PASSWORD: 'hunter2' });
    const tool = (await copyText(terminal, 'hunter2', 'linux'))!;
    await launchClearing(terminal, clearingOf(tool, 'hunter2', 10), theProgram('vault', 'clear-clipboard'));
    const board = async () => await readFile(join(folder, 'board'), 'utf8');
    await expect.poll(board, { interval: 100 }).toBe('');
    expect(await readFile(join(folder, 'calls'), 'utf8')).toBe(
      '-selection clipboard -in\n-selection clipboard -out\n-selection clipboard -in\n',
    );
  });

  it('clears what is still there, and nothing else', async () => {
    await fakeXclip();
    const { terminal } = terminalOf({ DISPLAY: ':0' });
    const tool = (await copyText(terminal, 'hunter2\n', 'linux'))!;
    const clearing = JSON.stringify(clearingOf(tool, 'hunter2\n', 1));
    expect(clearing).not.toContain('hunter2');
    expect(JSON.stringify(clearingOf(tool, 'hunter2\n', 1))).not.toBe(clearing);
    await writeFile(join(folder, 'board'), 'something of mine');
    expect(await clearLater(clearing, terminal.env)).toBe(false);
    expect(await readFile(join(folder, 'board'), 'utf8')).toBe('something of mine');
    // A program that adds a line end when it is read.
    await writeFile(join(folder, 'board'), 'hunter2\r\n');
    expect(await clearLater(clearing, terminal.env)).toBe(true);
    expect(await readFile(join(folder, 'board'), 'utf8')).toBe('');
  });
});
