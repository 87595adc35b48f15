import { Flags } from '@oclif/core';
import { keyFlag } from '../../accounts/own-key.ts';
import type { TransferFlags } from './putting.ts';

/** Flags of all commands that move files. */
export const transferFlags = {
  force: Flags.boolean({ description: 'replace files of this machine, and send what is there already' }),
  'dry-run': Flags.boolean({ description: 'move nothing, and say what would be moved' }),
  verify: Flags.boolean({ description: 'read everything once more from the server, and compare it' }),
  exclude: Flags.string({
    description: 'leave out what matches: a name, or a path from the top if it has a slash (may be repeated)',
    helpValue: 'GLOB',
    multiple: true,
    multipleNonGreedy: true,
    default: [],
  }),
  ...keyFlag,
};

export function transferFlagsOf(flags: {
  readonly force: boolean | undefined;
  readonly 'dry-run': boolean | undefined;
  readonly verify: boolean | undefined;
  readonly exclude: readonly string[];
}): TransferFlags {
  const { force = false, verify = false, exclude } = flags;
  return { force, dryRun: flags['dry-run'] ?? false, verify, exclude };
}
