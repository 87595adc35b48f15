import { describe, expect, it } from 'vitest';
import { type HelpSource, rootHelp } from '../../src/cli/kit/root-help.ts';

const source: HelpSource = {
  pjson: {
    name: 'conclave',
    version: '1.2.3',
    description: 'A home.',
    oclif: {
      bin: 'conclave',
      topics: { admin: { description: 'Run the node' }, empty: { description: 'Nothing here' } },
    },
  },
  manifest: {
    commands: {
      serve: { id: 'serve', summary: 'Serve the store over HTTP and WebSocket to everybody who may sign in' },
      call: { id: 'call', description: 'Perform an operation\nof the contract' },
      secret: { id: 'secret', summary: 'Not for show', hidden: true },
      'admin:store:verify': { id: 'admin:store:verify', summary: 'Verify' },
    },
  },
};

describe('the first page of help', () => {
  it('lists topics and commands, and no hidden ones', () => {
    const page = rootHelp(source, { width: 80, bold: false });
    expect(page.split('\n')).toEqual([
      'A home.',
      '',
      'VERSION',
      `  conclave/1.2.3 ${process.platform}-${process.arch} node-${process.version}`,
      '',
      'USAGE',
      '  $ conclave [COMMAND]',
      '',
      'TOPICS',
      '  admin  Run the node',
      '',
      'COMMANDS',
      '  call   Perform an operation',
      '  serve  Serve the store over HTTP and WebSocket to everybody who may sign in',
      '',
    ]);
  });

  it('keeps within the width', () => {
    const lines = rootHelp(source, { width: 40, bold: false }).split('\n').slice(4);
    expect(lines).toContain('  serve  Serve the store over HTTP and');
    expect(lines).toContain('         WebSocket to everybody who may');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  it('puts the rest of a long description below', () => {
    const oclif = { ...source.pjson.oclif, description: 'A home.\n\nBegin with conclave init.' };
    const page = rootHelp({ ...source, pjson: { ...source.pjson, oclif } }, { width: 80, bold: false });
    expect(page).toMatch(/^A home\.\n\nVERSION/);
    expect(page).toContain('\nDESCRIPTION\n  Begin with conclave init.\n');
  });

  it('has bold headings where asked', () => {
    expect(rootHelp(source, { width: 80, bold: true })).toContain('\u001B[1mTOPICS\u001B[22m');
  });
});
