import type { Mutant } from './mutant.ts';

export const commandLineMutants: readonly Mutant[] = [
  {
    file: 'src/cli/passvault/run/masking.ts',
    what: 'secret that ends within another',
    from: 'child.longest = Math.max(child.longest, child.fail.longest);',
    to: '',
    tests: ['test/cli/passvault/masking.test.ts'],
  },
  {
    file: 'src/cli/passvault/run/masking.ts',
    what: 'bytes that went out already',
    from: 'Math.max(gone, held.length - state.longest)',
    to: 'held.length - state.longest',
    tests: ['test/cli/passvault/masking.test.ts'],
  },
  {
    file: 'src/cli/passvault/run/masking.ts',
    what: 'one mark for a run',
    from: 'if (!marking) out.push(mark);',
    to: 'out.push(mark);',
    tests: ['test/cli/passvault/masking.test.ts'],
  },
  {
    file: 'src/cli/passvault/clipboard/copy-secret.ts',
    what: 'clearing of what is to stay',
    from: '  if (clearAfterSeconds === 0) return { certain: true, clearAfterSeconds, said: `Copied ${what}.` };\n',
    to: '',
    tests: ['test/cli/passvault/clipboard.test.ts'],
  },
  {
    file: 'src/cli/passvault/clipboard/copy-secret.ts',
    what: 'certainty about a terminal',
    from: 'return { certain: false, clearAfterSeconds: 0, said };',
    to: 'return { certain: true, clearAfterSeconds: 0, said };',
    tests: ['test/cli/passvault/clipboard.test.ts'],
  },
  {
    file: 'src/cli/passvault/clipboard/copy-secret.ts',
    what: 'clearing',
    from: '  await launchClearing(terminal, clearingOf(tool, secret, clearAfterSeconds * 1000));\n',
    to: '',
    tests: ['test/cli/passvault/clipboard.test.ts'],
  },
];
