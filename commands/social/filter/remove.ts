import { Args } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../../src/cli/kit/escape-for-terminal.ts';
import { ambiguous, pick } from '../../../src/cli/kit/pick.ts';
import { collectPages } from '../../../src/client/pages.ts';
import { perform } from '../../../src/client/perform.ts';
import { social } from '../../../src/contract/social.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Remove a filter of words';
  static override examples = ['<%= config.bin %> social filter remove spoiler'];
  static override args = {
    filter: Args.string({ description: 'its phrase, or the beginning of its id', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const { items } = await collectPages(client, social.listFilters, {}, 'filters');
    const candidates = items.map(({ _id: id, phrase, action }) => ({ id, phrase, label: `${phrase}, ${action}` }));
    const matching = candidates.filter(({ phrase }) => phrase === args.filter);
    if (matching.length > 1) throw ambiguous(args.filter, matching);
    const { id, phrase } = matching[0] ?? pick('filter', args.filter, candidates);
    await perform(client, social.deleteFilter, { id });
    await this.answer({ removed: id }, () => escapeForTerminal(`Removed the filter “${phrase}”.`));
  }
}
