import { perform } from '../../../src/client/perform.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { table } from '../../../src/cli/kit/table.ts';
import { ruleColumns } from '../../../src/cli/mail/rule-views.ts';
import { mail } from '../../../src/contract/mail.ts';

export default class RulesList extends ApiCommand {
  static override summary = 'List your rules for incoming mail, in their order';
  static override description = 'With --json the answer is a file for conclave mail rules set.';
  static override examples = ['<%= config.bin %> mail rules list --json > rules.json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(RulesList);
    await using client = await this.connect(flags);
    const reply = await perform(client, mail.listRules, {});
    await this.answer(reply, (screen) => table(screen, reply.rules, ruleColumns));
    if (reply.rules.length === 0) this.say('There are no rules. To set some, run: conclave mail rules set FILE');
  }
}
