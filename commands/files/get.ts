import { Args } from '@oclif/core';
import { isRemote, parseRemotePath } from '../../src/cli/files/paths.ts';
import { TransferCommand } from '../../src/cli/files/transfer/command.ts';
import { transferFlags, transferFlagsOf } from '../../src/cli/files/transfer/flags.ts';
import { get, getToOutput } from '../../src/cli/files/transfer/getting.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Get extends TransferCommand {
  static override summary = 'Download files and folders';
  static override description = `PATH is that of a file or folder, or a pattern in quotes such as 'Work:/photos/*.jpg'. TO is a folder that is there, a new name, or - for standard output; without it, files come to the current folder.
Nothing is overwritten without --force. Files keep their times. Run the same command again after a break: it goes on where it stopped.`;
  static override usage = 'files get PATH... [TO]';
  static override examples = ["<%= config.bin %> files get Work:/2026/report.pdf 'Work:/photos/**/*.jpg' here"];
  static override strict = false;
  static override args = { path: Args.string({ description: 'paths, and then where they go' }) };
  static override flags = transferFlags;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Get);
    const words = argv as string[];
    const last = words.at(-1);
    // With one word there is no target, and with several one of this machine can only be the target.
    const isTarget = words.length > 1 && last !== undefined && !(words.length > 2 && isRemote(last));
    const from = (isTarget ? words.slice(0, -1) : words).map(parseRemotePath);
    const [first] = from;
    if (first === undefined) throw new Problem('invalid', 'USAGE', 'Name what to get, such as Work:/2026.');
    const to = isTarget ? last : '.';
    await using client = await this.connect(flags);
    const ciphers = this.ciphers(client, flags['key-file']);
    if (to === '-') {
      if (from.length > 1) throw new Problem('invalid', 'USAGE', 'Standard output (-) is for one file.');
      await getToOutput(this.terminal, client, first, ciphers);
      return;
    }
    const outcome = await this.moving('Receiving', (teller, signal) =>
      get(client, from, to, transferFlagsOf(flags), teller, signal, ciphers),
    );
    await this.answerGet(outcome, flags['dry-run']);
  }
}
