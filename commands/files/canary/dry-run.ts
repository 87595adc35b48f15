import { Args } from '@oclif/core';
import { canaryNamed } from '../../../src/cli/files/canaries.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { perform } from '../../../src/client/perform.ts';
import { filevault } from '../../../src/contract/filevault.ts';

export default class DryRun extends ApiCommand {
  static override summary = 'Say what a canary would do if it went off now, and do nothing';
  static override examples = ['<%= config.bin %> files canary dry-run Gone'];
  static override args = { name: Args.string({ description: 'name or id of the canary', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(DryRun);
    await using client = await this.connect(flags);
    const { id } = await canaryNamed(client, args.name);
    const reply = await perform(client, filevault.dryRun, { id });
    await this.answer(reply, (screen) =>
      table(screen, reply.steps, [
        { title: 'STEP', of: ({ step }) => step, main: true },
        { title: 'WOULD BE', of: ({ refusal }) => refusal ?? 'done', whole: true },
      ]),
    );
  }
}
