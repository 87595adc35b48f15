import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { quorumAliases } from '../../../src/contract/quorum/aliases.ts';

export default class Check extends ApiCommand {
  static override summary = 'Check whether an alias is free; exit code 1 if it is taken';
  static override examples = ['<%= config.bin %> quorum alias check amazing.g'];
  static override args = { alias: Args.string({ description: 'the alias', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Check);
    await using client = await this.connect(flags);
    const { alias } = await perform(client, quorumAliases.checkAlias, { name: args.alias });
    const { aliasName, available } = alias;
    await this.answer(alias, () => `${aliasName} is ${available ? 'free' : 'taken'}.`);
    if (!available) this.exit(1);
  }
}
