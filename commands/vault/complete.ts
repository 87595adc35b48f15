import { Args } from '@oclif/core';
import { completions } from '../../src/cli/passvault/completions.ts';
import { VaultCommand } from '../../src/cli/passvault/vault-command.ts';

/** Called by shells for completion. It never prompts, and prints nothing when it cannot find names. */
export default class Complete extends VaultCommand {
  static override hidden = true;
  static override summary = 'List names of vaults and entries (used by shell completion)';
  static override examples = ['<%= config.bin %> vault complete Work/Git'];
  static override args = { word: Args.string({ description: 'text that is typed already', default: '' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Complete);
    await using session = await this.session(flags);
    const names = await completions(session, args.word);
    await this.answer({ names }, () => names.join('\n'));
  }
}
