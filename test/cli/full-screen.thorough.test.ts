import { execaNode } from 'execa';
import { expect, it } from 'vitest';

const program = new URL('../support/full-screen-process.ts', import.meta.url);

it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  '%s ends a full screen, and gives the terminal back',
  async (signal) => {
    const child = execaNode(program, { nodeOptions: ['--import', 'tsx'], reject: false, stdin: 'pipe' });
    let shown = '';
    for await (const piece of child.stderr.setEncoding('utf8') as AsyncIterable<string>) {
      shown += piece;
      if (piece.includes('q:quit')) child.kill(signal);
    }
    expect(shown.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
    expect((await child).signal).toBe(signal);
  },
);
