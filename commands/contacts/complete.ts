import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { addressesFor, usernamesFor } from '../../src/cli/contacts/completions.ts';

/** Called by shells for completion. */
export default class Complete extends ApiCommand {
  static override hidden = true;
  static override summary = 'List addresses of contacts (used by shell completion)';
  static override examples = ['<%= config.bin %> contacts complete ada'];
  static override args = { word: Args.string({ description: 'text that is typed already', default: '' }) };
  static override flags = { members: Flags.boolean({ description: 'usernames of members of this node' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Complete);
    await using client = await this.connect(flags);
    const names = await (flags.members ? usernamesFor : addressesFor)(client, args.word);
    await this.answer({ names }, () => names.join('\n'));
  }
}
