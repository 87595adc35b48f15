import { Args, Flags } from '@oclif/core';
import { isRemote, parseRemotePath } from '../../src/cli/files/paths.ts';
import { folderAt } from '../../src/cli/files/places.ts';
import { actionLines, directionOf } from '../../src/cli/files/sync/reporting.ts';
import { syncFolders } from '../../src/cli/files/sync/sync-folders.ts';
import { TransferCommand } from '../../src/cli/files/transfer/command.ts';
import { transferFlags } from '../../src/cli/files/transfer/flags.ts';
import { excluding } from '../../src/cli/files/transfer/globs.ts';
import { warningsOf } from '../../src/cli/files/transfer/reporting.ts';

export default class Sync extends TransferCommand {
  static override summary = 'Make a folder of this machine and one of the file vault equal';
  static override description = `FROM is copied to TO as far as it changed; what TO has besides stays, unless --delete is given. With --both, each side gets what the other one changed, and files that both changed stay twice. One of the two is a folder of this machine and the other one Container:/folder.
At the server, what is deleted goes to the trash. Run the command again at any time: an interruption loses nothing.`;
  static override examples = ['<%= config.bin %> files sync --both ~/Work Work:'];
  static override args = {
    from: Args.string({ description: 'folder', required: true }),
    to: Args.string({ description: 'folder on the other side', required: true }),
  };
  static override flags = {
    both: Flags.boolean({ description: 'in both directions', exclusive: ['delete'] }),
    delete: Flags.boolean({ description: 'remove at TO what FROM does not have' }),
    'dry-run': Flags.boolean({ description: 'change nothing, and say what would be changed' }),
    exclude: transferFlags.exclude,
    'key-file': transferFlags['key-file'],
    'allow-empty': Flags.boolean({ description: 'go on if one side has no files, and had some before' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Sync);
    const direction = directionOf(isRemote(args.from), isRemote(args.to), flags);
    const [local, remote] = isRemote(args.from) ? [args.to, args.from] : [args.from, args.to];
    const path = parseRemotePath(remote);
    const [dryRun, allowEmpty] = [flags['dry-run'] ?? false, flags['allow-empty'] ?? false];
    const given = { ...direction, dryRun, allowEmpty, excluded: excluding(flags.exclude), env: this.terminal.env };
    await using client = await this.connect(flags);
    const ciphers = this.ciphers(client, flags['key-file']);
    const folder = await folderAt(client, path);
    const { files, actions, leftOut, failures } = await this.moving('Synchronising', ({ report }, signal) =>
      syncFolders(client, local, folder, { ...given, ciphers, report, signal }),
    );
    const answer = { files, actions, skipped: leftOut.map((one) => one.path), failed: failures.list };
    await this.answer(answer, () => actionLines(actions, files, dryRun));
    this.end(warningsOf(leftOut, failures), failures.exitCode);
  }
}
