import { Args } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { planSending } from '../../src/cli/files/transfer/planning.ts';
import { sendAll } from '../../src/cli/files/transfer/sending-all.ts';
import { FileCommand } from '../../src/cli/files/file-command.ts';
import { keyFlag } from '../../src/cli/files/own-key.ts';
import { counted } from '../../src/cli/kit/counted.ts';
import { bytes } from '../../src/cli/kit/screen.ts';
import { Problem } from '../../src/problem.ts';

export default class Put extends FileCommand {
  static override summary = 'Store files and folders of this machine';
  static override description =
    'A file that is there gets a new version. Run the same command again after a break: it goes on where it stopped.';
  static override usage = 'files put FILE... PATH';
  static override examples = ['<%= config.bin %> files put report.pdf photos Work:/2026'];
  static override strict = false;
  static override args = { file: Args.string({ description: 'files and folders, and then where they go' }) };

  static override flags = keyFlag;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Put);
    const local = (argv as string[]).slice(0, -1);
    const to = (argv as string[]).at(-1);
    if (to === undefined || local.length === 0)
      throw new Problem('invalid', 'USAGE', 'Name the files, and then where they go, such as Work:/2026.');
    await using client = await this.connect(flags);
    const plan = await planSending(client, local, parseRemotePath(to));
    for (const path of plan.skipped) this.warnOf(`${path} is empty, a link or no file. It was left out.`);
    const stored = await sendAll(this.terminal, client, plan.files, this.ciphers(client, flags['key-file']));
    const total = stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    await this.answer(
      { stored, skipped: plan.skipped },
      () => `Stored ${counted(stored.length, 'file')}, ${bytes(total)}.`,
    );
  }
}
