import { Args, Flags } from '@oclif/core';
import { isRemote, parseRemotePath } from '../../src/cli/files/paths.ts';
import { TransferCommand } from '../../src/cli/files/transfer/command.ts';
import { copyRemote } from '../../src/cli/files/transfer/copying.ts';
import { transferFlags, transferFlagsOf } from '../../src/cli/files/transfer/flags.ts';
import { get } from '../../src/cli/files/transfer/getting.ts';
import { put } from '../../src/cli/files/transfer/putting.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Cp extends TransferCommand {
  static override summary = 'Copy files and folders inside the file vault, to it or from it';
  static override description = `Container:/path and ids are in the file vault. Everything else is on this machine, also /path; write ./ before a name with a colon.
A copy inside the vault goes through this machine, but never to its disk.`;
  static override usage = 'files cp FROM... TO';
  static override examples = ['<%= config.bin %> files cp --recursive Work:/2026 Archive:'];
  static override strict = false;
  static override args = { from: Args.string({ description: 'what to copy, and then where it goes' }) };
  static override flags = {
    recursive: Flags.boolean({ description: 'copy folders with everything inside them' }),
    ...transferFlags,
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Cp);
    const words = argv as string[];
    const [from, to] = [words.slice(0, -1), words.at(-1) ?? ''];
    const remote = from.filter((path) => isRemote(path));
    const fromRemote = remote.length === from.length;
    if (from.length === 0 || (remote.length > 0 && !fromRemote) || (remote.length === 0 && !isRemote(to)))
      throw new Problem('invalid', 'USAGE', 'Copy from one side to the other, or inside the vault: Work:/a Work:/b');
    const options = { ...transferFlagsOf(flags), recursive: flags.recursive ?? false };
    await using client = await this.connect(flags);
    const ciphers = this.ciphers(client, flags['key-file']);
    if (!fromRemote) {
      const path = parseRemotePath(to);
      const outcome = await this.moving('Sending', (teller, signal) =>
        put(this.terminal, client, from, path, options, teller, signal, ciphers),
      );
      await this.answerPut(outcome, options.dryRun);
      return;
    }
    const paths = remote.map(parseRemotePath);
    if (isRemote(to)) {
      const path = parseRemotePath(to);
      const outcome = await this.moving('Copying', (teller, signal) =>
        copyRemote(client, paths, path, options, teller, signal, ciphers),
      );
      await this.answerPut(outcome, options.dryRun);
      return;
    }
    const outcome = await this.moving('Receiving', (teller, signal) =>
      get(client, paths, to, options, teller, signal, ciphers),
    );
    await this.answerGet(outcome, options.dryRun);
  }
}
