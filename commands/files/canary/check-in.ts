import { Args } from '@oclif/core';
import { canaryNamed } from '../../../src/cli/files/canaries.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { flagsOf } from '../../../src/cli/kit/flags.ts';
import { moment } from '../../../src/cli/kit/screen.ts';
import { perform } from '../../../src/client/perform.ts';
import { filevault } from '../../../src/contract/filevault.ts';

export default class CheckIn extends ApiCommand {
  static override summary = 'Say that you are there';
  static override description = 'The answer is the same with any code and without one. A sign-in counts as well.';
  static override examples = ['<%= config.bin %> files canary check-in Gone'];
  static override args = { name: Args.string({ description: 'name or id of the canary', required: true }) };
  static override flags = flagsOf(filevault.checkIn, { omit: ['id'] });

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CheckIn);
    await using client = await this.connect(flags);
    const { id } = await canaryNamed(client, args.name);
    const input = await this.inputFor(filevault.checkIn, flags, { given: { id } });
    const reply = await perform(client, filevault.checkIn, input);
    const { firesAt } = reply;
    await this.answer(reply, (screen) =>
      firesAt === undefined ? 'Checked in.' : `Checked in. It goes off at ${moment(screen, firesAt)}.`,
    );
  }
}
