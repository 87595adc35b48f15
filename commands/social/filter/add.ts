import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { expiryOf } from '../../../src/cli/kit/expiry.ts';
import { perform } from '../../../src/client/perform.ts';
import { filterContexts, type FilterContext } from '../../../src/contract/social/filters.ts';
import { social } from '../../../src/contract/social.ts';

export default class Add extends ApiCommand {
  static override summary = 'Filter posts with a phrase, for a time or for ever';
  static override examples = [
    '<%= config.bin %> social filter add spoiler --expires 7d',
    '<%= config.bin %> social filter add "cold soup" --hide --in home --in public',
  ];
  static override args = { phrase: Args.string({ description: 'word or words', required: true }) };
  static override flags = {
    hide: Flags.boolean({ description: 'leave such posts out; without it, there is a warning' }),
    parts: Flags.boolean({ description: 'also inside of other words' }),
    in: Flags.string({
      description: 'only there; repeat for more',
      options: [...filterContexts],
      multiple: true,
      multipleNonGreedy: true,
    }),
    expires: Flags.string({ description: 'when it ends: 7d, 12h, or a date', helpValue: 'WHEN' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Add);
    const expiresAt = flags.expires === undefined ? undefined : expiryOf(flags.expires, Date.now());
    await using client = await this.connect(flags);
    const { filter } = await perform(client, social.createFilter, {
      phrase: args.phrase,
      action: flags.hide ? 'hide' : 'warn',
      wholeWord: !flags.parts,
      ...(flags.in !== undefined && { contexts: flags.in as FilterContext[] }),
      ...(expiresAt !== undefined && { expiresAt }),
    });
    await this.answer({ filter }, () => escapeForTerminal(`Posts with “${filter.phrase}” are filtered.`));
  }
}
