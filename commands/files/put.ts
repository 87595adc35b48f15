import { Args } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { TransferCommand } from '../../src/cli/files/transfer/command.ts';
import { transferFlags, transferFlagsOf } from '../../src/cli/files/transfer/flags.ts';
import { put } from '../../src/cli/files/transfer/putting.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Put extends TransferCommand {
  static override summary = 'Store files and folders of this machine';
  static override description = `FILE is a file, a folder, a pattern in quotes such as '*.jpg' or 'photos/**/2026-??.jpg', or - for standard input.
A file that is there gets a new version; one that is there with the same size and time is not sent. Run the same command again after a break: it goes on where it stopped.`;
  static override usage = 'files put FILE... PATH';
  static override examples = ['<%= config.bin %> files put report.pdf photos Work:/2026'];
  static override strict = false;
  static override args = { file: Args.string({ description: 'files and folders, and then where they go' }) };
  static override flags = transferFlags;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Put);
    const local = (argv as string[]).slice(0, -1);
    const to = (argv as string[]).at(-1);
    if (to === undefined || local.length === 0)
      throw new Problem('invalid', 'USAGE', 'Name the files, and then where they go, such as Work:/2026.');
    const path = parseRemotePath(to);
    await using client = await this.connect(flags);
    const ciphers = this.ciphers(client, flags['key-file']);
    const outcome = await this.moving('Sending', (teller, signal) =>
      put(this.terminal, client, local, path, transferFlagsOf(flags), teller, signal, ciphers),
    );
    await this.answerPut(outcome, flags['dry-run']);
  }
}
