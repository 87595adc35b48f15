import { Args } from '@oclif/core';
import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { givenText } from '../../../src/cli/mail/given-text.ts';
import { rulesIn } from '../../../src/cli/mail/given-rules.ts';
import { ruleColumns } from '../../../src/cli/mail/rule-views.ts';
import { mail } from '../../../src/contract/mail.ts';

export default class RulesSet extends ApiCommand {
  static override summary = 'Replace your rules for incoming mail by those of a file';
  static override description =
    'The file is JSON, as conclave mail rules list --json writes it. An empty list removes all rules.';
  static override examples = ['<%= config.bin %> mail rules set rules.json'];
  static override args = {
    file: Args.string({ description: 'file with the rules (- for standard input)', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(RulesSet);
    const text = await givenText(this.terminal, args.file);
    const rules = rulesIn(text, args.file === '-' ? 'Standard input' : args.file);
    await using client = await this.connect(flags);
    const reply = await perform(client, mail.putRules, { rules });
    await this.answer(reply, (screen) => table(screen, reply.rules, ruleColumns));
    if (reply.rules.length === 0) this.say('There are no rules any more.');
  }
}
