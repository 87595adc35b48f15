import { Args, Flags } from '@oclif/core';
import { changePolicy, policyText } from '../../../src/cli/files/approvals.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';

const needed = (what: string) =>
  Flags.integer({ description: `approvals for ${what}; 0: none`, helpValue: 'N', min: 0 });

export default class Policy extends ApiCommand {
  static override summary = 'Show or set what needs approvals in a container of yours';
  static override description = 'To lower a number needs an approval itself: conclave files approval request acl NAME';
  static override examples = ['<%= config.bin %> files approval policy Work --destroy 2'];
  static override args = { name: Args.string({ description: 'name or id of a container', required: true }) };
  static override flags = {
    destroy: needed('a destruction'),
    share: needed('a share with somebody outside'),
    'bulk-delete': needed('moving a folder with content to the trash'),
    acl: needed('a change of who may do what'),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Policy);
    await using client = await this.connect(flags);
    const container = await changePolicy(client, args.name, {
      destruction: flags.destroy,
      externalShare: flags.share,
      bulkDelete: flags['bulk-delete'],
      aclChange: flags.acl,
    });
    await this.answer(container, () => policyText(container));
  }
}
